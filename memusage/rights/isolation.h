/* isolation.h -- Leave behind what a process of ours got from the user who started memusage.
 *
 * For one that is about to take another user's rights (owner.h): that user may read its memory and
 * its files from then on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* The largest file that the process may write, in bytes: what it writes is a user's choice. */
#define ISOLATION_FILE_MAX (UINT64_C(1) << 30)

/* isolation_begin -- Gives this process a session, environment and files of its own.
 *
 * It reads from /dev/null, writes to OUT and ERR, and works in the root directory. Other files stay
 * open until it executes a program. It writes no core, and files that only their user can read. It
 * keeps the locale, and no other variable. Dies with a message if it cannot.
 * Source  setsid(2), environ(7), close_range(2), ioctl_tty(2) (TIOCSTI).
 */
void isolation_begin(int out, int err);
