/* launched.h -- The processes that a memusage has launched.
 *
 * In a shell `$!` is the PID of memusage, but the user means its program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* launched_list -- Lists the children of a launcher that may be its program.
 *
 * all  receives them; the caller frees it. Programs of this suite come last: most of them help the
 *      launcher, but one may be what it has launched.
 * Returns their number. The collector, which nothing records, is not one of them.
 */
size_t launched_list(pid_t launcher, pid_t **all);
