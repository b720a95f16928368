/* tree_arenas.h -- Which arena of the tree, and which image of it, a process has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/collector/tree_state.h"
#include "memusage/common/asked_checks.h"

/* tree_arenas_find -- Returns the entry of ARENA in the tree, or NULL. */
struct tree_arena *tree_arenas_find(const struct tree *t, const struct arena *arena);

/* tree_arenas_find_asked -- Finds which image of P the checks that clients have made are about.
 *
 * p  has a slot.
 * Returns false if the slot cannot be read.
 */
bool tree_arenas_find_asked(const struct process *p, struct asked_image *image);
