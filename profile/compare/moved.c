/* moved.c -- Finds the stacks that one side has at another place in the tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/compare/moved.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum {
	PATH_MOST = 128,	/* innermost functions of a stack that are compared */
	GROUP_MOST = 200	/* stacks of a function on each side that are compared */
};

struct mover {
	struct call_trie *t;
	uint32_t *to;
	uint8_t *match;
	uint32_t room;
};

/* A node at which stacks of one side end, or of both. */
struct stack_end {
	uint32_t node;
	uint32_t group;		/* only ends of a group are compared */
	uint64_t bytes;
	uint8_t side;
};

static uint64_t bytes_of_node(const struct call_node *n)
{
	return n->bytes[SIDE_OLD] + n->bytes[SIDE_NEW];
}

static bool is_at_end(const struct call_node *n, enum side side)
{
	return n->ends[side] && !n->ends[!side];
}

/* Largest first within a group; by number among equals, so that the result is always the same. */
static int compare_ends(const void *a, const void *b)
{
	const struct stack_end *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

static void reserve_results(struct mover *m)
{
	const uint32_t count = m->t->count;

	if (count <= m->room)
		return;
	m->to = xreallocarray(m->to, (size_t)count * 2, sizeof(*m->to));
	m->match = xreallocarray(m->match, (size_t)count * 2, sizeof(*m->match));
	for (uint32_t i = m->room; i < count * 2; i++) {
		m->to[i] = i;
		m->match[i] = MATCH_NONE;
	}
	m->room = count * 2;
}

/* ---- functions that the other build does not have ------------------------------------------- */

static bool is_common(const struct call_trie *t, uint32_t key)
{
	return call_trie_is_on_side(t, key, SIDE_OLD) && call_trie_is_on_side(t, key, SIDE_NEW);
}

/* Sets for each node the one that is left without such functions. A node may get a new one, which
 * is its own. */
static uint32_t *fold_paths(struct mover *m)
{
	const uint32_t count = m->t->count;
	uint32_t *folded = xcalloc(count, sizeof(*folded));

	for (uint32_t i = 1; i < count; i++) {
		const struct call_node n = m->t->node[i];

		folded[i] = folded[n.parent];
		if (is_common(m->t, n.key))
			folded[i] = n.parent == folded[n.parent] ?
					    i : call_trie_child(m->t, folded[n.parent], n.key);
	}
	reserve_results(m);
	return folded;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The stacks that end at one folded path: COUNT ends of either side, which only that side has. */
struct fold_group {
	const struct stack_end *end;
	uint32_t count;
	uint32_t path;		/* the node of the folded path */
};

/* Joins ends with those of the folded path itself. If both sides have that one, an end only joins
 * it if that brings both sides nearer to each other: memory of a new function is new. */
static void join_with_path(struct mover *m, const struct fold_group *g)
{
	const struct call_node *n = &m->t->node[g->path];
	uint64_t bytes[SIDES] = { n->bytes[SIDE_OLD], n->bytes[SIDE_NEW] };
	const bool is_on_both = n->ends[SIDE_OLD] && n->ends[SIDE_NEW];

	for (uint32_t i = 0; i < g->count; i++) {
		const struct stack_end *e = &g->end[i];
		uint64_t more[SIDES] = { bytes[SIDE_OLD], bytes[SIDE_NEW] };

		more[e->side] += e->bytes;
		if (!is_on_both && n->ends[e->side])
			continue;
		if (is_on_both && difference(more[0], more[1]) >= difference(bytes[0], bytes[1]))
			continue;
		memcpy(bytes, more, sizeof(bytes));
		m->to[e->node] = g->path;
		if (m->match[g->path] == MATCH_NONE)
			m->match[g->path] = MATCH_FOLDED;
	}
}

/* A single end of the new build names the place better than what both builds have in common. */
static void show_new_end(struct mover *m, const struct fold_group *g)
{
	uint32_t only = CALL_NONE;

	if (m->t->node[g->path].ends[SIDE_NEW] || m->match[g->path] != MATCH_FOLDED)
		return;
	for (uint32_t i = 0; i < g->count; i++) {
		if (g->end[i].side != SIDE_NEW || m->to[g->end[i].node] != g->path)
			continue;
		if (only != CALL_NONE)
			return;
		only = g->end[i].node;
	}
	if (only == CALL_NONE)
		return;
	m->match[g->path] = MATCH_NONE;
	m->match[only] = MATCH_FOLDED;
	m->to[g->path] = m->to[only] = only;
	for (uint32_t i = 0; i < g->count; i++) {
		if (m->to[g->end[i].node] == g->path)
			m->to[g->end[i].node] = only;
	}
}

static uint32_t list_folded_ends(struct mover *m, const uint32_t *folded, uint32_t count,
				 struct stack_end *end)
{
	uint32_t found = 0;

	for (uint32_t i = 1; i < count; i++) {
		const struct call_node *n = &m->t->node[i];

		if ((is_at_end(n, SIDE_OLD) || is_at_end(n, SIDE_NEW)) && folded[i] != i &&
		    folded[i] != 0)
			end[found++] = (struct stack_end){ .node = i, .group = folded[i],
							   .bytes = bytes_of_node(n),
							   .side = n->ends[SIDE_NEW] };
	}
	qsort(end, found, sizeof(*end), compare_ends);
	return found;
}

static void match_folded_paths(struct mover *m)
{
	const uint32_t count = m->t->count;
	uint32_t *folded = fold_paths(m);
	struct stack_end *end = xcalloc(count, sizeof(*end));
	const uint32_t ends = list_folded_ends(m, folded, count, end);

	for (uint32_t i = 0, next; i < ends; i = next) {
		struct fold_group g = { .end = end + i, .path = end[i].group };
		bool has[SIDES] = { m->t->node[g.path].ends[SIDE_OLD],
				    m->t->node[g.path].ends[SIDE_NEW] };
		const bool has_path = has[SIDE_OLD] || has[SIDE_NEW];

		for (next = i; next < ends && end[next].group == g.path; next++)
			has[end[next].side] = true;
		g.count = next - i;
		/* Without a stack of the common path itself, both sides have a function that the
		 * other lacks: these need not be the same. */
		if (has_path && has[SIDE_OLD] && has[SIDE_NEW]) {
			join_with_path(m, &g);
			show_new_end(m, &g);
		}
	}
	free(end);
	free(folded);
}

/* ---- the longest common subsequence ---------------------------------------------------------- */

/* Writes the innermost keys of a node's path, and returns how many. */
static uint32_t list_path(const struct call_trie *t, uint32_t node, uint32_t path[PATH_MOST])
{
	uint32_t count = 0;

	for (; node && count < PATH_MOST; node = t->node[node].parent)
		path[count++] = t->node[node].key;
	return count;
}

static uint32_t common_length(const uint32_t *a, uint32_t rows, const uint32_t *b, uint32_t columns)
{
	uint32_t row[PATH_MOST + 1] = { 0 };

	for (uint32_t i = 0; i < rows; i++) {
		uint32_t before = 0;

		for (uint32_t k = 0; k < columns; k++) {
			const uint32_t above = row[k + 1];

			row[k + 1] = a[i] == b[k] ? before + 1 : above > row[k] ? above : row[k];
			before = above;
		}
	}
	return row[columns];
}

/* Returns the likeness of two stacks, 0 to 1; 0 if they are too different: less than two thirds of
 * the longer one is in both. */
static double rate_paths(const struct call_trie *t, uint32_t a, uint32_t b)
{
	uint32_t x[PATH_MOST], y[PATH_MOST];
	const uint32_t rows = list_path(t, a, x), columns = list_path(t, b, y);
	const uint32_t more = rows > columns ? rows : columns;
	const uint32_t common = common_length(x, rows, y, columns);

	return 3 * common >= 2 * more ? (double)common / more : 0;
}

/* Pairs one old end with the new one that is most like it; of equals the one whose size is. */
static void match_moved_end(struct mover *m, const struct stack_end *old,
			    const struct stack_end *new, uint32_t count, bool *is_taken)
{
	double best = 0;
	uint32_t with = CALL_NONE;

	for (uint32_t i = 0; i < count; i++) {
		const double rate = is_taken[i] ? 0 : rate_paths(m->t, old->node, new[i].node);

		if (rate > best || (rate > 0 && rate >= best && with != CALL_NONE &&
				    difference(old->bytes, new[i].bytes) <
				    difference(old->bytes, new[with].bytes))) {
			best = rate;
			with = i;
		}
	}
	if (with == CALL_NONE)
		return;
	is_taken[with] = true;
	m->to[old->node] = new[with].node;
	m->match[new[with].node] = MATCH_MOVED;
}

static uint32_t list_moved_ends(struct mover *m, enum side side, struct stack_end *end)
{
	uint32_t found = 0;

	for (uint32_t i = 1; i < m->t->count; i++) {
		const struct call_node *n = &m->t->node[i];

		if (is_at_end(n, side) && m->to[i] == i && m->match[i] == MATCH_NONE)
			end[found++] = (struct stack_end){ .node = i, .group = n->key,
							   .bytes = bytes_of_node(n) };
	}
	qsort(end, found, sizeof(*end), compare_ends);
	return found;
}

static uint32_t group_length(const struct stack_end *end, uint32_t count, uint32_t group)
{
	uint32_t length = 0;

	while (length < count && end[length].group == group)
		length++;
	return length;
}

static void match_moved_paths(struct mover *m)
{
	struct stack_end *old = xcalloc(m->t->count, sizeof(*old));
	struct stack_end *new = xcalloc(m->t->count, sizeof(*new));
	const uint32_t olds = list_moved_ends(m, SIDE_OLD, old);
	const uint32_t news = list_moved_ends(m, SIDE_NEW, new);

	for (uint32_t i = 0, k = 0; i < olds && k < news;) {
		const uint32_t group = old[i].group < new[k].group ? old[i].group : new[k].group;
		const uint32_t length = group_length(old + i, olds - i, group);
		const uint32_t others = group_length(new + k, news - k, group);
		bool is_taken[GROUP_MOST] = { false };

		for (uint32_t n = 0; n < length && n < GROUP_MOST && others > 0; n++)
			match_moved_end(m, &old[i + n], &new[k],
					others < GROUP_MOST ? others : GROUP_MOST, is_taken);
		i += length;
		k += others;
	}
	free(old);
	free(new);
}

/* ---- both ---------------------------------------------------------------------------------- */

void moved_find(struct call_trie *t, uint32_t **to, uint8_t **match)
{
	struct mover m = { .t = t };

	reserve_results(&m);
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->node[i].ends[SIDE_OLD] && t->node[i].ends[SIDE_NEW])
			m.match[i] = MATCH_PATH;
	}
	match_folded_paths(&m);
	match_moved_paths(&m);
	*to = m.to;
	*match = m.match;
}
