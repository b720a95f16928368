/* tree_running.h -- A recording of a run whose program has ended, with the processes that go on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"

/* tree_running_copy -- Copies the kept recording, and adds each running process as it is now.
 *
 * They are in the kept recording only when they have ended.
 * running  set to how many run.
 * Returns a descriptor that the caller closes; -1 without one: none runs, or with errno if some do.
 * Cost   the size of the recording, twice, and what live_copy_take() costs for each process.
 */
int tree_running_copy(struct tree *t, unsigned int *running);
