/* triggers.h -- automatic snapshots, at thresholds and by a signal.
 *
 * The collector writes the snapshots to files. Thresholds of the heap and of stacks are checked
 * where a snapshot of the series may be due: while some are watched one is due at every event, so
 * that the fast paths need no test when there are none.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* triggers_init -- read the configured triggers, with call stacks. Returns false without memory. */
bool triggers_init(void);

/* triggers_forked -- in a forked child: remove the parent's snapshots from the copy. */
void triggers_forked(void);

/* triggers_signal -- take a snapshot that a signal has requested.
 *
 * Call it outside the hook or inside. If this thread is inside the hook, or there are too many
 * cells to add up within a millisecond, the collector takes the snapshot instead.
 * Async-signal-safe.
 */
void triggers_signal(void);
