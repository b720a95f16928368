/* tree_running.h -- A recording of a run whose program has ended, with the processes that go on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"

/* tree_running_add -- Has conditions judge a copy of the recording with each running process.
 *
 * A process that goes on may be the one that breaks a limit, but the kept recording has it only
 * when it has ended. The copy, with each as it is now, is in t->s->judged; -1 if no process runs.
 * The report says how many do, and lacks_running if they cannot be added.
 * Cost the size of the recording, twice, and what live_copy_take() costs for each process.
 */
void tree_running_add(struct tree *t);
