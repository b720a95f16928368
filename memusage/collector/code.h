/* code.h -- Answer recorders that ask for the code of a module (--ignore-fn).
 *
 * A recorder puts its question into its image and waits: docs/format.md, section 7.1. memusageprint
 * reads the names, in one process for each different file, and its answer is kept for other images
 * with the same file. The collector itself never waits. Images are untrusted, so all their fields
 * are checked.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/collector/tree_state.h"

/* code_answer -- Continues with the question of a live image, if it has one.
 *
 * p  has a slot. Cheap without a question.
 */
void code_answer(struct tree *t, const struct process *p);

/* code_reader_ended -- Takes the answer of the reader whose pidfd FD is readable. Returns false if
 * FD belongs to no reader. */
bool code_reader_ended(int fd);

/* code_free -- Releases all answers, and kills the readers that still run. */
void code_free(void);
