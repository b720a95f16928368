/* limit.h -- limits that a program sets itself by system calls of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* limit_by_call -- do what setrlimit(), prlimit() and mlockall() do before the kernel is asked.
 *
 * number  of a system call, with its first three arguments. Any other does nothing.
 */
void limit_by_call(long number, long a, long b, long c);
