/* tree_memory.h -- Sample the memory of the processes of a tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"

/* tree_memory_begin -- Takes the first sample of the live image of P, and schedules the next.
 *
 * Does nothing unless the recording has a timeline.
 */
void tree_memory_begin(struct tree *t, struct process *p, const struct image *im);

/* tree_memory_sample_due -- Samples the processes whose time has come.
 *
 * Returns milliseconds until the next sample, or -1 if no process is sampled.
 */
int tree_memory_sample_due(struct tree *t);

/* tree_memory_sample_now -- Takes a sample of P in addition to the regular ones. */
void tree_memory_sample_now(struct tree *t, struct process *p);

struct wire;

/* tree_memory_sample_last -- Takes the last sample of each process, as the launcher has ordered,
 * and sends the order back: the recorder, whose own memory is subtracted, is taken away next. */
void tree_memory_sample_last(struct tree *t, const struct wire *order);

/* tree_memory_end -- Completes the timeline with the sample that the image took at its exit.
 *
 * im  image of P; it uses P's timeline until tree_memory_forget().
 */
void tree_memory_end(struct process *p, struct image *im);

/* tree_memory_forget -- Releases the timeline of P, whose image has been reported. */
void tree_memory_forget(struct process *p);
