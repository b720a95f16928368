/* pointer_graph.c -- Which block points to which, and what points to blocks from outside of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/pointer_graph.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

/* There may be more pointers than array_reserve() counts. */
static void *reserve_one(void *array, uint64_t count, uint64_t *room, size_t element)
{
	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 1024;
	return xreallocarray(array, *room, element);
}

void pointer_graph_init(struct pointer_graph *g, const struct block_set *blocks)
{
	*g = (struct pointer_graph){ .blocks = blocks };
	block_index_init(&g->index, blocks);
	g->first = xcalloc((size_t)blocks->count + 1, sizeof(*g->first));
}

static void begin_block(struct pointer_graph *g, uint32_t block)
{
	while (g->next <= block)
		g->first[g->next++] = g->count;
}

static void append_pointer(struct pointer_graph *g, uint32_t target, uint64_t offset)
{
	g->to = reserve_one(g->to, g->count, &g->room, sizeof(*g->to));
	if (offset) {
		g->interior = reserve_one(g->interior, g->interiors, &g->interior_room,
					  sizeof(*g->interior));
		g->interior[g->interiors++] = (struct interior_pointer){ g->count, offset };
	}
	g->to[g->count++] = target | (offset ? POINTER_INTERIOR : 0);
}

void pointer_graph_scan(struct pointer_graph *g, uint32_t block, const uint64_t *word,
			size_t count)
{
	const uint64_t low = g->index.low, span = g->index.high - low;
	uint64_t offset;

	begin_block(g, block);
	for (size_t i = 0; i < count; i++) {
		uint32_t target = word[i] - low < span ?
					  block_index_find(&g->index, word[i], &offset) :
					  BLOCK_NONE;

		if (target != BLOCK_NONE)
			append_pointer(g, target, offset);
	}
}

void pointer_graph_finish(struct pointer_graph *g)
{
	begin_block(g, g->blocks->count);
}

void pointer_graph_scan_root(struct pointer_graph *g, uint32_t root, uint64_t place,
			     const uint64_t *word, size_t count)
{
	uint64_t offset;

	for (size_t i = 0; i < count; i++) {
		uint32_t target = block_index_find(&g->index, word[i], &offset);

		if (target == BLOCK_NONE)
			continue;
		g->root = reserve_one(g->root, g->roots, &g->root_room, sizeof(*g->root));
		g->root[g->roots++] = (struct root_pointer){
			.place = place + i * 8,
			.offset = offset,
			.to = target | (offset ? POINTER_INTERIOR : 0),
			.root = root,
		};
	}
}

void pointer_graph_free(struct pointer_graph *g)
{
	block_index_free(&g->index);
	free(g->first);
	free(g->to);
	free(g->interior);
	free(g->root);
	*g = (struct pointer_graph){ .blocks = NULL };
}
