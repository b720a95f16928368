/* examination_answer.h -- Answers processes that wait until they have been examined.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/collector/tree_state.h"

/* examination_answer -- Continues with the question of a live image, if it has one: for a leak
 * check, or for what its pages are for. A child of ours examines the process.
 *
 * p  has a slot. Cheap without a question. A question is ignored unless its run was started for it.
 */
void examination_answer(struct tree *t, struct process *p);

/* examination_answer_ended -- Tells whether FD is the pidfd of such a child, and reaps it. */
bool examination_answer_ended(int fd);

/* examination_answer_free -- Ends all children, and releases everything. */
void examination_answer_free(void);
