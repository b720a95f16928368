/* triggers.h -- snapshots that are taken by themselves: thresholds and a signal.
 *
 * The collector turns what is taken here into files. Thresholds of the heap and of stacks are
 * looked at where a snapshot of the series may be due: while some are watched one is due at every
 * event, so that the quick paths have nothing to ask when there are none.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_LIFECYCLE_TRIGGERS_H
#define LIBMEMUSAGE_LIFECYCLE_TRIGGERS_H

#include <stdbool.h>

/* triggers_init -- take over what is asked for, with call stacks. Returns false without memory. */
bool triggers_init(void);

/* triggers_forked -- in a forked child: what waits in the copy is the parent's. */
void triggers_forked(void);

/* triggers_signal -- somebody asks for a snapshot by a signal.
 *
 * Outside the hook or inside. It is taken at once, or, if this thread is inside the hook or there
 * are too many cells to add up within a millisecond, by the collector. Async-signal-safe.
 */
void triggers_signal(void);

#endif
