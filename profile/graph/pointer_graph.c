/* pointer_graph.c -- Which block points to which, and what points to blocks from outside of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/pointer_graph.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

enum { LOOKED_UP_TOGETHER = 512 };

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
	g->waiting = xcalloc(LOOKED_UP_TOGETHER, sizeof(*g->waiting));
	g->from = xcalloc(LOOKED_UP_TOGETHER, sizeof(*g->from));
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

static void append_waiting(struct pointer_graph *g)
{
	block_index_find_each(&g->index, g->waiting, g->waits);
	for (size_t i = 0; i < g->waits; i++) {
		begin_block(g, g->from[i]);
		if (g->waiting[i].block != BLOCK_NONE)
			append_pointer(g, g->waiting[i].block, g->waiting[i].offset);
	}
	g->waits = 0;
}

void pointer_graph_scan(struct pointer_graph *g, uint32_t block, const uint64_t *word,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!block_index_may_have(&g->index, word[i]))
			continue;
		g->waiting[g->waits].word = word[i];
		g->from[g->waits++] = block;
		if (g->waits == LOOKED_UP_TOGETHER)
			append_waiting(g);
	}
}

void pointer_graph_finish(struct pointer_graph *g)
{
	append_waiting(g);
	begin_block(g, g->blocks->count);
}

static void append_root_pointer(struct pointer_graph *g, uint32_t root, uint64_t place,
				const struct block_lookup *look)
{
	if (look->block == BLOCK_NONE)
		return;
	g->root = reserve_one(g->root, g->roots, &g->root_room, sizeof(*g->root));
	g->root[g->roots++] = (struct root_pointer){
		.place = place,
		.offset = look->offset,
		.to = look->block | (look->offset ? POINTER_INTERIOR : 0),
		.root = root,
	};
}

void pointer_graph_scan_root(struct pointer_graph *g, uint32_t root, uint64_t place,
			     const uint64_t *word, size_t count)
{
	struct block_lookup look[LOOKED_UP_TOGETHER];
	uint64_t at[LOOKED_UP_TOGETHER];
	size_t waits = 0;

	for (size_t i = 0; i < count; i++) {
		if (block_index_may_have(&g->index, word[i])) {
			look[waits].word = word[i];
			at[waits++] = place + i * sizeof(*word);
		}
		if (waits < LOOKED_UP_TOGETHER && i + 1 < count)
			continue;
		block_index_find_each(&g->index, look, waits);
		for (size_t k = 0; k < waits; k++)
			append_root_pointer(g, root, at[k], &look[k]);
		waits = 0;
	}
}

void pointer_graph_free(struct pointer_graph *g)
{
	block_index_free(&g->index);
	free(g->first);
	free(g->to);
	free(g->interior);
	free(g->root);
	free(g->waiting);
	free(g->from);
	*g = (struct pointer_graph){ .blocks = NULL };
}
