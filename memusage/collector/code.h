/* code.h -- answer recorders that ask what the code of a module is (--ignore-fn).
 *
 * They ask in their images and wait: docs/format.md, section 7.1. Names are read by
 * memusageprint in a process of its own, one per different file; what it found is kept for
 * other images that have the same file. The collector itself never waits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_CODE_H
#define MEMUSAGE_COLLECTOR_CODE_H

#include <stdbool.h>

#include "memusage/collector/tree.h"

/* code_answer -- go on with the question of a live image, if it has one.
 *
 * p  has a slot. Cheap if nothing is asked. Images are hostile: what they say is checked.
 */
void code_answer(struct tree *t, const struct process *p);

/* code_reader_ended -- the pidfd FD can be read. Returns false if it is none of ours. */
bool code_reader_ended(int fd);

/* code_free -- release what is kept, and end those who still read. */
void code_free(void);

#endif
