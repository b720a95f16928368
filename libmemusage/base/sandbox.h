/* sandbox.h -- whether the program may be about to forbid itself system calls.
 *
 * A filter can kill the process for a call that the program itself never makes: ours. So
 * from then on an event makes none, and the end of the program none that can be spared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* True once the program has asked for seccomp, or for no_new_privs, which comes first. */
extern bool sandbox_is_on;
