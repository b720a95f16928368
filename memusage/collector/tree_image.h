/* tree_image.h -- The outputs of one image of the tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"
#include "memusage/common/asked_checks.h"

/* tree_image_live -- Begins the data file and the samples of an image that has just registered. */
void tree_image_live(struct tree *t, struct process *p);

/* tree_image_keep -- Keeps in a durable arena what only this process knows of the image of P. */
void tree_image_keep(struct process *p);

/* tree_image_find_asked -- Finds which image of P the checks that clients have made are about.
 *
 * p  has a slot.
 * Returns false if the slot cannot be read.
 */
bool tree_image_find_asked(const struct process *p, struct asked_image *image);

/* tree_image_arena -- Returns the entry of ARENA in the tree, or NULL. */
struct tree_arena *tree_image_arena(const struct tree *t, const struct arena *arena);

/* tree_state_is_announced -- Returns whether a slot in this state has an image to report. */
bool tree_state_is_announced(enum mu_slot_state state);
