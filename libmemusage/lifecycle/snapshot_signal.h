/* snapshot_signal.h -- the signal by which somebody asks this process for a snapshot.
 *
 * The process itself gets it, because that is whom `kill` names, hours later too. What the program
 * does with the signal stays as it is: its own action is kept here, told to it when it asks, and
 * follows each snapshot, with the mask and flags that it chose. Only its default action is left
 * out, which would end the process. A program that ignores the signal is left alone, since what it
 * starts must find it ignored: then there are no snapshots, and the report says so.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_LIFECYCLE_SNAPSHOT_SIGNAL_H
#define LIBMEMUSAGE_LIFECYCLE_SNAPSHOT_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/* snapshot_signal_start -- take the signal, if one is asked for. From the constructor. */
void snapshot_signal_start(void);

/* snapshot_signal_is -- whether this is the signal, and it is taken. Async-signal-safe. */
bool snapshot_signal_is(int number);

/* snapshot_signal_action -- sigaction() for that signal, as the program sees it.
 *
 * Returns 0, or -1 with errno. Async-signal-safe.
 */
int snapshot_signal_action(const struct sigaction *now, struct sigaction *old);

/* snapshot_signal_waited -- the program has taken the signal by sigwait() or its kin. */
void snapshot_signal_waited(void);

#endif
