/* tree_image.h -- The outputs of one image of the tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"

/* tree_image_live -- Begins the data file and the samples of an image that has just registered. */
void tree_image_live(struct tree *t, struct process *p);

/* tree_image_keep -- Keeps in a durable arena what only this process knows of the image of P. */
void tree_image_keep(struct process *p);

/* tree_state_is_announced -- Returns whether a slot in this state has an image to report. */
bool tree_state_is_announced(enum mu_slot_state state);
