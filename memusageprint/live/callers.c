/* callers.c -- The tree of the callers of one place.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/callers.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/base/number.h"

enum {
	NODES_MAX = 1 << 16,	/* callers farther outside count with those that called last */
	BRANCHES_MAX = 40	/* columns of lines */
};

struct caller_node {
	uint32_t key;		/* of its name */
	uint32_t parent;
	uint32_t caller, next;	/* the first caller, the next one of the same; 0: none */
	struct live_values now;
	int64_t before, mark;	/* bytes */
};

void callers_choose(struct live_callers *c, uint32_t place, enum top_kind group,
		    enum top_kind names)
{
	callers_free(c);
	c->place = place;
	c->group = group;
	c->names = names;
}

/* ---- nodes -------------------------------------------------------------------------------- */

static uint32_t append_node(struct live_callers *c, uint32_t parent, uint32_t key)
{
	if (c->count == c->room) {
		c->room = c->room ? 2 * c->room : 64;
		c->node = xreallocarray(c->node, c->room, sizeof(*c->node));
	}
	c->node[c->count] = (struct caller_node){ .key = key, .parent = parent };
	if (c->count > 0) {
		c->node[c->count].next = c->node[parent].caller;
		c->node[parent].caller = c->count;
	}
	return c->count++;
}

/* Returns the node of a caller of PARENT; PARENT itself if there is no room. */
static uint32_t find_caller(struct live_callers *c, uint32_t parent, uint32_t key)
{
	uint32_t i = c->node[parent].caller;

	while (i > 0 && c->node[i].key != key)
		i = c->node[i].next;
	if (i > 0)
		return i;
	return c->count < NODES_MAX ? append_node(c, parent, key) : parent;
}

/* A place that is a file or an object has the functions in it as its first callers. */
static uint32_t enter_stack(struct live_callers *c, struct places *p, uint32_t stack)
{
	const struct filtered filtered = filter_stack(p->stacks, stack);
	struct position at = position_innermost(&filtered);
	bool is_place = c->group == TOP_BY_LINE || c->group == TOP_BY_FUNCTION, goes_on;
	uint32_t node = 0;

	for (goes_on = at.left > 0; goes_on; goes_on = position_step(p->stacks->profile, &at)) {
		if (!is_place)
			node = find_caller(c, node, places_name(p, &at, c->names));
		is_place = false;
	}
	return node;
}

static void enter_stacks(struct live_callers *c, struct places *p)
{
	const uint32_t *keys = places_keys(p, c->group);
	const struct sites *sites = &p->profile.sites;

	callers_free(c);
	append_node(c, 0, c->place);
	c->leaf = xcalloc((size_t)sites->count + 1, sizeof(*c->leaf));
	c->sites = sites->count;
	c->loads = p->loads;
	for (uint32_t i = 0; i < sites->count; i++) {
		if (keys[i] == c->place)
			c->leaf[i] = enter_stack(c, p, sites->site[i].stack) + 1;
	}
}

/* ---- values ------------------------------------------------------------------------------- */

static struct live_values values_of_site(const struct look *l, uint32_t i)
{
	return i < l->sites ? l->site[i] : (struct live_values){ .bytes = 0 };
}

static void sum_nodes(struct live_callers *c, const struct look *now, const struct look *before,
		      const struct look *mark)
{
	for (uint32_t i = 0; i < c->count; i++) {
		c->node[i].now = (struct live_values){ .bytes = 0 };
		c->node[i].before = c->node[i].mark = 0;
	}
	for (uint32_t i = 0; i < c->sites; i++) {
		const struct live_values values = values_of_site(now, i);
		struct caller_node *n;

		if (c->leaf[i] == 0)
			continue;
		n = &c->node[c->leaf[i] - 1];
		rows_add(&n->now, &values);
		n->before = wrapping_sum(n->before, values_of_site(before, i).bytes);
		n->mark = wrapping_sum(n->mark, values_of_site(mark, i).bytes);
	}
	for (uint32_t i = c->count; i-- > 1;) {
		const struct caller_node *n = &c->node[i];
		struct caller_node *to = &c->node[n->parent];

		rows_add(&to->now, &n->now);
		to->before = wrapping_sum(to->before, n->before);
		to->mark = wrapping_sum(to->mark, n->mark);
	}
}

/* ---- rows --------------------------------------------------------------------------------- */

struct caller_walk {
	const struct live_callers *c;
	const struct strings *names;
	const struct live_order *order;
	double seconds;
	struct live_rows *rows;
};

static struct live_row make_node_row(const struct caller_walk *w, uint32_t i)
{
	const struct caller_node *n = &w->c->node[i];
	struct live_row row = rows_make(n->key, &n->now, n->before, n->mark, w->seconds);

	row.branch.node = i;
	return row;
}

/* Returns the rows of the callers of a node in their order, to be freed. */
static struct live_row *list_callers(const struct caller_walk *w, uint32_t node, uint32_t *count)
{
	struct live_row *row;
	uint32_t room = 0;

	for (uint32_t i = w->c->node[node].caller; i > 0; i = w->c->node[i].next)
		room++;
	row = xcalloc((size_t)room + 1, sizeof(*row));
	*count = 0;
	for (uint32_t i = w->c->node[node].caller; i > 0; i = w->c->node[i].next) {
		row[*count] = make_node_row(w, i);
		*count += !rows_is_empty(&row[*count]);
	}
	rows_sort(row, *count, w->names, w->order);
	return row;
}

/* A single caller is shown below what it calls; several begin a column of lines. */
static void append_callers(struct caller_walk *w, uint32_t node, unsigned int depth, uint64_t bars)
{
	struct live_row *row;
	uint32_t count;

	row = list_callers(w, node, &count);
	while (count == 1) {
		node = row->branch.node;
		row->branch.depth = depth;
		row->branch.bars = bars;
		w->rows->row[w->rows->count++] = *row;
		free(row);
		row = list_callers(w, node, &count);
	}
	for (uint32_t i = 0; i < count && depth < BRANCHES_MAX; i++) {
		const bool is_last = i + 1 == count;
		struct live_branch *b = &row[i].branch;

		b->depth = depth + 1;
		b->bars = bars;
		b->is_head = true;
		b->is_last = is_last;
		w->rows->row[w->rows->count++] = row[i];
		append_callers(w, b->node, depth + 1, is_last ? bars : bars | UINT64_C(1) << depth);
	}
	free(row);
}

void callers_build(struct live_rows *r, struct live_callers *c, struct places *places,
		   const struct look *now, const struct look *before, const struct look *mark,
		   double seconds, const struct live_order *order)
{
	struct caller_walk w = { .c = c, .names = &places->names, .order = order,
				 .seconds = seconds, .rows = r };

	if (c->loads != places->loads)
		enter_stacks(c, places);
	sum_nodes(c, now, before, mark);
	*r = (struct live_rows){ .count = 0 };
	r->row = xcalloc((size_t)c->count + 1, sizeof(*r->row));
	r->row[r->count++] = make_node_row(&w, 0);
	r->sum = r->row[0];
	append_callers(&w, 0, 1, 0);
}

void callers_free(struct live_callers *c)
{
	free(c->node);
	free(c->leaf);
	c->node = NULL;
	c->leaf = NULL;
	c->count = c->room = c->sites = c->loads = 0;
}
