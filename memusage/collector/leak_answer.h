/* leak_answer.h -- Answers processes that wait for a leak check.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/collector/tree.h"

/* leak_answer -- Continues with the question of a live image, if it has one. The check is made by a
 * child of ours. */
void leak_answer(struct tree *t, const struct process *p);

/* leak_examiner_ended -- Tells whether FD is the pidfd of such a child, and reaps it. */
bool leak_examiner_ended(int fd);

/* leak_answer_free -- Ends all children, and releases everything. */
void leak_answer_free(void);
