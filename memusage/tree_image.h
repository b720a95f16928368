/* tree_image.h -- what happens to one image of the tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_TREE_IMAGE_H
#define MEMUSAGE_TREE_IMAGE_H

#include "memusage/tree.h"

/* tree_image_live -- an image has been announced: begin its data file. */
void tree_image_live(struct tree *t, struct process *p);

/* tree_real_pid -- the process that a slot belongs to, in our namespace.
 *
 * slot        filled in by a forked child: its process ID as it sees itself.
 * parent_pid  real process ID of the process that forked it, 0 unknown.
 * Returns the slot's own value where nothing better can be found out.
 */
pid_t tree_real_pid(const struct mu_slot *slot, pid_t parent_pid, const struct process *parent);

#endif
