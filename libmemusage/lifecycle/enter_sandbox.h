/* enter_sandbox.h -- preparing for a sandbox that the program is about to enter.
 *
 * Most programs enter one by libseccomp, which sets no_new_privs by prctl and then loads the
 * filter by syscall(). Root needs no no_new_privs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* enter_sandbox_by_prctl -- prepare, if a call of prctl() with these arguments begins one. */
void enter_sandbox_by_prctl(int option, unsigned long argument);

/* enter_sandbox_by_call -- the same for a system call: its number, and its first arguments. */
void enter_sandbox_by_call(long number, long a, long b);
