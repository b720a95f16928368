/* tree_memory.h -- looks at the memory of the processes of a tree, as the kernel sees it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_TREE_MEMORY_H
#define MEMUSAGE_COLLECTOR_TREE_MEMORY_H

#include "memusage/collector/tree.h"

/* tree_memory_begin -- the image of P is live: look at it now, and from time to time.
 *
 * Nothing happens unless its recording is to have a timeline.
 */
void tree_memory_begin(struct tree *t, struct process *p, const struct image *im);

/* tree_memory_sample_due -- look at those whose time has come.
 *
 * Returns milliseconds until the next one's has, -1 if nobody is looked at.
 */
int tree_memory_sample_due(struct tree *t);

/* tree_memory_end -- complete the timeline by what the image itself noted at its exit.
 *
 * im  of P; its timeline is that of P from now on, until tree_memory_forget().
 */
void tree_memory_end(struct process *p, struct image *im);

/* tree_memory_forget -- the image has been reported. */
void tree_memory_forget(struct process *p);

#endif
