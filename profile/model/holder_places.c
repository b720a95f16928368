/* holder_places.c -- What holds the heap, by the places of a report and with names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/holder_places.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

/* ---- folding ---------------------------------------------------------------------------- */

static bool is_same(const struct holder_node *a, const struct holder_node *b)
{
	return a->kind == b->kind && a->what == b->what && a->type == b->type;
}

/* Returns the node for what N describes: one that is there at PARENT or above, one of PARENT's
 * children, or a new one. */
static uint32_t find_or_append(struct holder_places *l, const struct holder_node *n)
{
	for (uint32_t i = n->parent; i; i = l->node[i].parent) {
		if (is_same(&l->node[i], n))
			return i;
	}
	for (uint32_t i = n->parent + 1; i < l->count; i++) {
		if (l->node[i].parent == n->parent && is_same(&l->node[i], n))
			return i;
	}
	l->node[l->count] = *n;
	return l->count++;
}

static void add_up(struct holder_places *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		l->node[i].all_bytes = l->node[i].bytes;
		l->node[i].all_blocks = l->node[i].blocks;
	}
	for (uint32_t i = l->count; i-- > 1;) {
		l->node[l->node[i].parent].all_bytes += l->node[i].all_bytes;
		l->node[l->node[i].parent].all_blocks += l->node[i].all_blocks;
	}
}

void holder_places_build(struct holder_places *l, const struct mu_holder_node *node,
			 uint32_t count, const uint32_t *number, const struct holder_names *n)
{
	uint32_t *place = xcalloc((size_t)count + 1, sizeof(*place));

	*l = (struct holder_places){ .node = xcalloc((size_t)count + 1, sizeof(*l->node)),
				     .count = 1 };
	l->node[0].kind = MU_HOLDER_ALL;
	for (uint32_t i = 1; i < count; i++) {
		struct holder_node new = { .parent = place[node[i].parent], .kind = node[i].kind,
					   .what = node[i].what };

		if (new.kind == MU_HOLDER_SITE) {
			new.site = new.what;
			new.what = new.site < n->sites ? number[new.site] : HOLDER_PLACES_OTHER;
			new.type = new.site < n->sites ? n->type[new.site] : 0;
		}
		place[i] = find_or_append(l, &new);
		l->node[place[i]].bytes += node[i].bytes;
		l->node[place[i]].blocks += node[i].blocks;
	}
	add_up(l);
	free(place);
}

/* ---- order ------------------------------------------------------------------------------ */

/* Inserts a child at its place in the order; few nodes have more than some hundred. */
static void insert_child(const struct holder_places *l, uint32_t *child, uint32_t count,
			 uint32_t node)
{
	const struct holder_node *n = &l->node[node];

	for (; count > 0; count--) {
		const struct holder_node *before = &l->node[child[count - 1]];

		/* The rest comes last. */
		if (before->kind != MU_HOLDER_REST &&
		    (n->kind == MU_HOLDER_REST || before->all_bytes > n->all_bytes ||
		     (before->all_bytes == n->all_bytes && before->all_blocks >= n->all_blocks)))
			break;
		child[count] = child[count - 1];
	}
	child[count] = node;
}

uint32_t holder_places_children(const struct holder_places *l, uint32_t node, uint32_t *child)
{
	uint32_t count = 0;

	for (uint32_t i = node + 1; i < l->count; i++) {
		if (l->node[i].parent == node)
			insert_child(l, child, count++, i);
	}
	return count;
}

void holder_places_free(struct holder_places *l)
{
	free(l->node);
	*l = (struct holder_places){ .count = 0 };
}
