/* tree_idle.h -- processes that do nothing need no clock that moves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_TREE_IDLE_H
#define MEMUSAGE_COLLECTOR_TREE_IDLE_H

#include "memusage/collector/tree.h"

/* tree_idle_check -- knock at everybody ten times a second, and let the ticks rest of those arenas
 * where nobody has had an event since the last time.
 *
 * Returns milliseconds until the next look is due, -1 if no arena has a tick that could rest.
 * Cost 0.1 us per thread and look; a thread that has events takes the slow way ten times a second.
 */
int tree_idle_check(struct tree *t);

#endif
