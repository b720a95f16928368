/* seal.h -- a process gives up nearly all that it can do, before it reads what others made.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* seal_process -- allow from now on only what reading files that are open takes.
 *
 * output  the only descriptor that may be written to.
 * Allowed are memory without code, reading, opening files for nothing but reading (a debug file
 * names another one), time, and the end. All else fails with EPERM: no other process, file, network
 * or limit can be changed. Cannot be taken back. The caller has PR_SET_NO_NEW_PRIVS.
 * Returns false, with nothing changed, where the kernel or the processor has no such filter.
 */
bool seal_process(int output);
