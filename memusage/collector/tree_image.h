/* tree_image.h -- what happens to one image of the tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_TREE_IMAGE_H
#define MEMUSAGE_COLLECTOR_TREE_IMAGE_H

#include "memusage/collector/tree.h"

/* tree_image_live -- an image has been announced: begin its data file. */
void tree_image_live(struct tree *t, struct process *p);

#endif
