/* end_pointers.c -- Pointers to the end of a block that are one to the start of the next block.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/end_pointers.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

/* Known facts about each block and each pointer. */
struct ends {
	struct pointer_graph *p;
	const struct holding_roots *roots;
	uint32_t *of_pointer;
	uint8_t *is_end;      /* of each pointer of a block */
	uint8_t *is_root_end; /* of each pointer of a root */
	uint8_t *is_reached;  /* each block, by other pointers */
	uint64_t found;
};

static bool follows_block_before(const struct block_set *b, uint32_t block)
{
	return block > 0 && b->block[block - 1].start + b->block[block - 1].size ==
				    b->block[block].start;
}

static bool has_neighbours(const struct block_set *b)
{
	for (uint32_t i = 1; i < b->count; i++) {
		if (follows_block_before(b, i))
			return true;
	}
	return false;
}

/* Returns how many of the three pointers A, B, C of a vector are ends: the last ones. */
static unsigned int count_ends(const struct block_set *blocks, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t room = POINTER_TARGET(a);

	if (c & POINTER_INTERIOR || c != room + 1 || !follows_block_before(blocks, c))
		return 0;
	return b == c ? 2 : POINTER_TARGET(b) == room ? 1 : 0;
}

/* ---- finding them ------------------------------------------------------------------------- */

static void find_of_block(struct ends *e, uint32_t from)
{
	const uint32_t *to = e->p->to;

	for (uint64_t i = e->p->first[from] + 2; i < e->p->first[from + 1]; i++) {
		const unsigned int n = count_ends(e->p->blocks, to[i - 2], to[i - 1], to[i]);

		for (unsigned int k = 0; k < n; k++)
			e->is_end[i - k] = 1;
		e->found += n;
	}
}

static bool is_same_root(const struct ends *e, uint64_t i)
{
	const uint32_t *of = &e->of_pointer[i];

	return of[0] == of[-1] && of[0] == of[-2] && of[0] != HOLDING_NO_ROOT;
}

static void find_of_roots(struct ends *e)
{
	const struct root_pointer *root = e->p->root;

	for (uint64_t i = 2; i < e->p->roots; i++) {
		const unsigned int n = is_same_root(e, i) ?
			count_ends(e->p->blocks, root[i - 2].to, root[i - 1].to, root[i].to) : 0;

		for (unsigned int k = 0; k < n; k++)
			e->is_root_end[i - k] = 1;
		e->found += n;
	}
}

/* ---- what is reached without them ----------------------------------------------------------- */

static void reach(struct ends *e, uint32_t *waiting, uint32_t *count, uint32_t block)
{
	if (!e->is_reached[block])
		waiting[(*count)++] = block;
	e->is_reached[block] = 1;
}

static void find_reached(struct ends *e)
{
	uint32_t *waiting = xmalloc((e->p->blocks->count + (size_t)1) * sizeof(*waiting));
	uint32_t count = 0;

	for (uint64_t i = 0; i < e->p->roots; i++) {
		const uint32_t root = e->of_pointer[i];

		if (root != HOLDING_NO_ROOT && e->roots->rank[root] == 0 && !e->is_root_end[i])
			reach(e, waiting, &count, POINTER_TARGET(e->p->root[i].to));
	}
	while (count > 0) {
		const uint32_t from = waiting[--count];

		for (uint64_t i = e->p->first[from]; i < e->p->first[from + 1]; i++) {
			if (!e->is_end[i])
				reach(e, waiting, &count, POINTER_TARGET(e->p->to[i]));
		}
	}
	free(waiting);
}

/* ---- all together ------------------------------------------------------------------------- */

static uint64_t drop_found(struct ends *e)
{
	uint64_t dropped = 0;

	for (uint32_t from = 0; from < e->p->blocks->count; from++) {
		for (uint64_t i = e->p->first[from]; i < e->p->first[from + 1]; i++) {
			if (!e->is_end[i] || !e->is_reached[e->p->to[i]])
				continue;
			e->p->to[i] = from;
			dropped++;
		}
	}
	for (uint64_t i = 0; i < e->p->roots; i++) {
		if (!e->is_root_end[i] || !e->is_reached[e->p->root[i].to])
			continue;
		e->of_pointer[i] = HOLDING_NO_ROOT;
		dropped++;
	}
	return dropped;
}

uint64_t end_pointers_drop(struct pointer_graph *p, const struct holding_roots *roots,
			   uint32_t *of_pointer)
{
	struct ends e = { .p = p, .roots = roots, .of_pointer = of_pointer };
	uint64_t dropped = 0;

	if (!has_neighbours(p->blocks))
		return 0;
	e.is_end = xcalloc(p->count + 1, 1);
	e.is_root_end = xcalloc(p->roots + 1, 1);
	for (uint32_t i = 0; i < p->blocks->count; i++)
		find_of_block(&e, i);
	find_of_roots(&e);
	if (e.found > 0) {
		e.is_reached = xcalloc((size_t)p->blocks->count + 1, 1);
		find_reached(&e);
		dropped = drop_found(&e);
	}
	free(e.is_end);
	free(e.is_root_end);
	free(e.is_reached);
	return dropped;
}
