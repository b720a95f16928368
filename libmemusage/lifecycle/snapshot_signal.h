/* snapshot_signal.h -- the signal that requests a snapshot of this process.
 *
 * It is sent to the process itself, because a user gives that process ID to `kill`, even hours
 * later. The program's own use of the signal is preserved: its action is stored here, returned to
 * it by sigaction(), and executed after each snapshot, with the mask and flags that it chose. Only
 * the default action, which would end the process, is not executed. If the program ignores the
 * signal, the signal stays ignored, since programs that it starts must inherit that: then there are
 * no snapshots, and the report says so.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* snapshot_signal_start -- install the handler, if a signal is set. Call from the constructor. */
void snapshot_signal_start(void);

/* snapshot_signal_is -- return whether this is the signal, and in use. Async-signal-safe. */
bool snapshot_signal_is(int number);

/* snapshot_signal_action -- sigaction() for that signal, as the program sees it.
 *
 * Returns 0, or -1 with errno. Async-signal-safe.
 */
int snapshot_signal_action(const struct sigaction *now, struct sigaction *old);

/* snapshot_signal_waited -- take a snapshot: the program got the signal from sigwait(). */
void snapshot_signal_waited(void);
