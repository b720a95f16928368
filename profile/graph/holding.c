/* holding.c -- Roots and blocks as one graph of what holds what.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/holding.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/graph/nested_roots.h"

enum { RANK_LOST = HOLDING_LEAST_RANK + 1, RANKS = RANK_LOST + 1 };
/* While ranks are given: not reached yet. No block keeps it. */
#define RANK_NONE RANK_LOST

/* ---- ranks ------------------------------------------------------------------------------ */

struct ranking {
	const struct pointer_graph *p;
	uint8_t *rank;	   /* of blocks */
	uint32_t *waiting; /* blocks whose pointers are still to be followed */
	uint32_t count;
};

static void reach_block(struct ranking *r, uint32_t block, uint8_t rank)
{
	if (r->rank[block] != RANK_NONE)
		return;
	r->rank[block] = rank;
	r->waiting[r->count++] = block;
}

static void follow_waiting(struct ranking *r, uint8_t rank)
{
	const struct pointer_graph *p = r->p;

	while (r->count > 0) {
		const uint32_t from = r->waiting[--r->count];

		for (uint64_t i = p->first[from]; i < p->first[from + 1]; i++)
			reach_block(r, POINTER_TARGET(p->to[i]), rank);
	}
}

static uint32_t root_of_pointer(const struct holding_roots *roots, uint64_t pointer)
{
	const uint32_t root = roots->of_pointer[pointer];

	return root < roots->count ? root : HOLDING_NO_ROOT;
}

static void reach_from_rank(struct ranking *r, const struct holding_roots *roots, uint8_t rank)
{
	for (uint64_t i = 0; i < r->p->roots; i++) {
		const uint32_t root = root_of_pointer(roots, i);

		if (root == HOLDING_NO_ROOT || roots->rank[root] != rank)
			continue;
		reach_block(r, POINTER_TARGET(r->p->root[i].to), rank);
		follow_waiting(r, rank);
	}
}

static void give_ranks(struct ranking *r, const struct holding_roots *roots)
{
	bool has_rank[RANKS] = { false };

	memset(r->rank, RANK_NONE, r->p->blocks->count);
	for (uint32_t i = 0; i < roots->count; i++)
		has_rank[roots->rank[i]] = true;
	for (unsigned int rank = 0; rank <= HOLDING_LEAST_RANK; rank++) {
		if (has_rank[rank])
			reach_from_rank(r, roots, (uint8_t)rank);
	}
}

/* ---- lost blocks ------------------------------------------------------------------------ */

enum lost_state { LOST_UNSEEN, LOST_SEEN, LOST_LEADER };

/* Follows lost blocks from FIRST on, which becomes a leader; one that it leads to is none. */
static void follow_lost(struct ranking *r, uint8_t *state, uint32_t first)
{
	const struct pointer_graph *p = r->p;

	state[first] = LOST_LEADER;
	r->waiting[r->count++] = first;
	while (r->count > 0) {
		const uint32_t from = r->waiting[--r->count];

		for (uint64_t i = p->first[from]; i < p->first[from + 1]; i++) {
			const uint32_t to = POINTER_TARGET(p->to[i]);

			if (to == first || r->rank[to] != RANK_LOST)
				continue;
			if (state[to] == LOST_UNSEEN)
				r->waiting[r->count++] = to;
			state[to] = LOST_SEEN;
		}
	}
}

/* Returns which lost blocks are leaders. */
static uint8_t *find_leaders(struct ranking *r)
{
	const uint32_t count = r->p->blocks->count;
	uint8_t *state = xcalloc((size_t)count + 1, sizeof(*state));

	for (uint32_t i = 0; i < count; i++) {
		if (r->rank[i] == RANK_LOST && state[i] == LOST_UNSEEN)
			follow_lost(r, state, i);
	}
	return state;
}

/* ---- edges ------------------------------------------------------------------------------ */

static void add_edge(struct flow_graph *g, bool is_counting, uint64_t *at, uint32_t to)
{
	if (!is_counting)
		g->to[*at] = to;
	++*at;
}

static uint32_t rank_of_root(const struct holding *h, const struct holding_roots *roots,
			     uint32_t root)
{
	return root == h->roots - 1 ? RANK_LOST : roots->rank[root];
}

/* Places where the pointers of each root are; those of the others follow. */
static void count_root_edges(struct holding *h, const struct pointer_graph *p,
			     const struct holding_roots *roots, const uint8_t *state)
{
	uint64_t *first = h->graph.first;

	for (uint64_t i = 0; i < p->roots; i++) {
		const uint32_t root = root_of_pointer(roots, i);

		if (root != HOLDING_NO_ROOT &&
		    h->rank[POINTER_TARGET(p->root[i].to)] == roots->rank[root])
			first[HOLDING_ROOT(root) + 1]++;
	}
	for (uint32_t i = 0; i < p->blocks->count; i++)
		first[HOLDING_ROOT(h->roots - 1) + 1] += state[i] == LOST_LEADER;
	first[1] = h->roots;
	for (uint32_t i = 0; i < h->roots; i++)
		first[HOLDING_ROOT(i) + 1] += first[HOLDING_ROOT(i)];
}

static void fill_root_edges(struct holding *h, const struct pointer_graph *p,
			    const struct holding_roots *roots, const uint8_t *state)
{
	uint64_t *at = xmalloc((h->roots + (size_t)1) * sizeof(*at));

	for (uint32_t i = 0; i < h->roots; i++) {
		h->graph.to[i] = HOLDING_ROOT(i);
		at[i] = h->graph.first[HOLDING_ROOT(i)];
	}
	for (uint64_t i = 0; i < p->roots; i++) {
		const uint32_t root = root_of_pointer(roots, i);
		const uint32_t block = POINTER_TARGET(p->root[i].to);

		if (root != HOLDING_NO_ROOT && h->rank[block] == rank_of_root(h, roots, root))
			h->graph.to[at[root]++] = HOLDING_BLOCK(h, block);
	}
	for (uint32_t i = 0; i < p->blocks->count; i++) {
		if (state[i] == LOST_LEADER)
			h->graph.to[at[h->roots - 1]++] = HOLDING_BLOCK(h, i);
	}
	free(at);
}

/* Pointers to the block itself, and a second one to the same as the last, say nothing. */
static void add_block_edges(struct holding *h, const struct pointer_graph *p, bool is_counting)
{
	uint64_t at = h->graph.first[HOLDING_BLOCK(h, 0)];

	for (uint32_t from = 0; from < p->blocks->count; from++) {
		uint32_t last = from;

		h->graph.first[HOLDING_BLOCK(h, from)] = at;
		for (uint64_t i = p->first[from]; i < p->first[from + 1]; i++) {
			const uint32_t to = POINTER_TARGET(p->to[i]);

			if (to == last || to == from || h->rank[to] != h->rank[from])
				continue;
			last = to;
			add_edge(&h->graph, is_counting, &at, HOLDING_BLOCK(h, to));
		}
	}
	h->graph.first[HOLDING_BLOCK(h, p->blocks->count)] = at;
}

/* ---- all together ----------------------------------------------------------------------- */

/* The ranks of blocks are known. */
static void make_graph(struct holding *h, const struct pointer_graph *p,
		       const struct holding_roots *roots, const uint8_t *state)
{
	h->graph.count = HOLDING_BLOCK(h, p->blocks->count);
	h->graph.first = xcalloc((size_t)h->graph.count + 1, sizeof(*h->graph.first));
	count_root_edges(h, p, roots, state);
	add_block_edges(h, p, true);
	h->graph.to = xmalloc((h->graph.first[h->graph.count] + 1) * sizeof(*h->graph.to));
	fill_root_edges(h, p, roots, state);
	add_block_edges(h, p, false);
}

void holding_build(struct holding *h, const struct pointer_graph *p,
		   const struct holding_roots *roots)
{
	struct holding_roots counted = *roots;
	const uint32_t count = p->blocks->count;
	struct ranking r = { .p = p, .waiting = xmalloc((count + (size_t)1) * sizeof(uint32_t)) };
	uint32_t *of_pointer;
	uint8_t *state;

	*h = (struct holding){ .roots = roots->count + 1, .rank = xcalloc((size_t)count + 1, 1) };
	r.rank = h->rank;
	give_ranks(&r, roots);
	state = find_leaders(&r);
	free(r.waiting);
	of_pointer = nested_roots_drop(p, roots, h->rank);
	if (of_pointer)
		counted.of_pointer = of_pointer;
	make_graph(h, p, &counted, state);
	free(of_pointer);
	free(state);
}

void holding_free(struct holding *h)
{
	free(h->graph.first);
	free(h->graph.to);
	free(h->rank);
	*h = (struct holding){ .roots = 0 };
}
