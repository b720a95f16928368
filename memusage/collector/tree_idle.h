/* tree_idle.h -- Pause the clocks of arenas without events.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"

/* tree_idle_check -- Sets all threads' pending flags ten times a second, and pauses the clock of
 * each arena that has had no event since the last check.
 *
 * Returns milliseconds until the next check is due, or -1 if no arena has a clock that could pause.
 * Cost 0.1 us per thread and check; a thread that has events takes the slow path ten times a
 * second.
 */
int tree_idle_check(struct tree *t);
