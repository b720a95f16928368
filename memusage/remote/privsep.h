/* privsep.h -- Run work with another user's rights in an isolated process.
 *
 * Once the process executes a program, its user may trace it and control it. So it inherits
 * nothing: no terminal (which could be read and typed into), no descriptor that is not named, no
 * directory and no environment variable. Its output comes through pipes and is escaped for the
 * terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* privsep_run -- Runs WORK in a process of its own, and prints its output.
 *
 * work    starts with our rights, drops them as soon as it can, and then calls
 *         privsep_die_with_parent().
 * answer  called here, with our rights, when WORK has sent something to privsep_connection(): it
 *         receives one message, and must do nothing for it that the user may not have done.
 * data    given to both.
 * Returns the result of WORK, 0 to 255, or 125 after a message if it was killed.
 */
int privsep_run(int (*work)(void *data), void (*answer)(void *data, int connection), void *data);

/* privsep_connection -- Returns the socket by which WORK asks its caller (SOCK_SEQPACKET). An exec
 * closes it. */
int privsep_connection(void);

/* privsep_die_with_parent -- Called by WORK: makes the process end when the caller of privsep_run()
 * ends. */
void privsep_die_with_parent(void);
