/* page_holders.c -- Nodes of a page that can stand for others: memory of the same place nearby.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_holders.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

/* How many of the outermost callers the nodes of a group have in common. */
static const uint32_t common_callers[PAGE_GROUPS] = { 32, 16, 8, 4, 0 };

struct node_key {
	uint32_t caller, place, node;
};

static bool stands_for_others(const struct page_cut *c, uint32_t node)
{
	return c->flags && c->flags[node] & PAGE_OTHERS;
}

/* Returns the place that lists name for the memory of a node, as holder() in page/src/model.js. */
static uint32_t place_of_holder(const struct page_tree *t, const struct page_cut *c, uint32_t node)
{
	uint32_t agent = 0;

	for (uint32_t at = node; at > 0; at = c->node[at].parent) {
		const uint32_t place = c->node[at].place, flags = t->place[place].flags;

		if (stands_for_others(c, at))
			continue;
		if (!(flags & PAGE_RUNTIME))
			return place;
		if (agent == 0 && flags & PAGE_AGENT)
			agent = place;
	}
	return agent || stands_for_others(c, node) ? agent : c->node[node].place;
}

uint32_t *page_holders_places(const struct page_tree *t, const struct page_cut *c)
{
	uint32_t *place = xcalloc((size_t)c->count + 1, sizeof(*place));

	for (uint32_t i = 1; i < c->count; i++)
		place[i] = place_of_holder(t, c, i);
	return place;
}

static int compare_keys(const void *a, const void *b)
{
	const struct node_key *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Sets the caller of each key to the ancestor at depth MOST, or to the node if it is not deeper. */
static void find_common_callers(struct node_key *key, const uint32_t *place,
				const struct page_cut *c, const uint32_t *depth, uint32_t most)
{
	for (uint32_t i = 0; i < c->count; i++)
		key[i] = (struct node_key){ .caller = depth[i] <= most ?
					    i : key[c->node[i].parent].caller,
					    .place = place[i], .node = i };
}

static void group_sorted_keys(uint32_t *first, struct node_key *key, uint32_t count)
{
	uint32_t begin = 0;

	qsort(key, count, sizeof(*key), compare_keys);
	for (uint32_t i = 0; i < count; i++) {
		if (key[i].caller != key[begin].caller || key[i].place != key[begin].place)
			begin = i;
		first[key[i].node] = key[begin].node;
	}
}

void page_holders_init(struct page_holders *h, const struct page_tree *t, const struct page_cut *c)
{
	uint32_t *place = page_holders_places(t, c);
	uint32_t *depth = xcalloc((size_t)c->count + 1, sizeof(*depth));
	struct node_key *key = xcalloc((size_t)c->count + 1, sizeof(*key));

	for (uint32_t i = 1; i < c->count; i++)
		depth[i] = depth[c->node[i].parent] + 1;
	for (int group = 0; group < PAGE_GROUPS; group++) {
		h->first[group] = xcalloc((size_t)c->count + 1, sizeof(uint32_t));
		find_common_callers(key, place, c, depth, common_callers[group]);
		group_sorted_keys(h->first[group], key, c->count);
	}
	free(place);
	free(depth);
	free(key);
}

void page_holders_free(struct page_holders *h)
{
	for (int group = 0; group < PAGE_GROUPS; group++) {
		free(h->first[group]);
		h->first[group] = NULL;
	}
}
