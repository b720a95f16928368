/* pages_answer.h -- Answers processes that wait until their pages have been examined.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/collector/tree.h"

/* pages_answer -- Continues with the question of a live image, if it has one. A child of ours
 * examines the pages. */
void pages_answer(struct tree *t, const struct process *p);

/* pages_examiner_ended -- Tells whether FD is the pidfd of such a child, and reaps it. */
bool pages_examiner_ended(int fd);

/* pages_answer_free -- Ends all children, and releases everything. */
void pages_answer_free(void);
