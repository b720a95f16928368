/* tree_arenas.c -- Which arena of the tree, and which image of it, a process has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/tree_arenas.h"

struct tree_arena *tree_arenas_find(const struct tree *t, const struct arena *arena)
{
	for (unsigned int i = 0; i < t->arena_count; i++)
		if (&t->arena[i]->arena == arena)
			return t->arena[i];
	return NULL;
}

bool tree_arenas_find_asked(const struct process *p, struct asked_image *image)
{
	struct mu_slot slot;

	if (!segment_slot(&p->arena->view, (uint32_t)p->slot, &slot))
		return false;
	*image = (struct asked_image){ (uint32_t)p->slot, slot.generation };
	return true;
}
