/* tree.c -- The tree of callers: the functions that allocated, and their callers.
 *
 * Every stack has a walker, which is at one of its frames. The walkers below a node are neighbours
 * in one array. To make the node's children, they are sorted by their places; a group of equals is
 * a child, and all its walkers step outward before its own children are made. Nothing is stored for
 * what is not significant.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/tree.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

enum { NODES_MAX = 4 << 20 };

#define ANY_LINE UINT64_MAX	/* lines have 32 bits */

/* The identity of a node: equal keys are one node. */
struct key {
	uint64_t high, low;
};

/* The place of a walker: a level of a frame of its stack. */
struct tree_place {
	uint32_t frame;
	uint32_t left;		/* frames from here outward that are to be shown; 0: at the end */
	uint32_t level;
	bool is_folded;		/* repetitions were left out on the last step */
	bool is_function;	/* stands for all lines of the function that allocates */
};

struct walker {
	struct key key;
	struct tree_place place;
	int64_t bytes;
	int64_t blocks;
	const struct sampled_error *error;	/* NULL: none */
};

/* Walkers with one key, or the sum of several such groups. */
struct group {
	size_t first, end;
	int64_t bytes;
	int64_t blocks;
	int64_t worth;
	struct sampled_error error;
	uint64_t order;		/* of equals */
	uint32_t merged;	/* groups it stands for, 0: itself */
};

struct tree_groups {
	struct group *group;
	uint32_t count, room;
	bool has_ends;		/* some stacks have no more frames */
};

struct tree_builder {
	struct call_tree *t;
	const struct profile *p;
	const struct tree_options *o;
	struct walker *walker;
	size_t walkers;
	int64_t significant;	/* what is below is merged */
	uint32_t nodes_max;
	unsigned int depth_max;
	struct key path[TREE_DEPTH_MAX];	/* keys from the root's child to the node */
	bool is_sampled;	/* weights have errors */
};

/* ---- walking -------------------------------------------------------------------------------- */

static struct key key_at_place(const struct tree_builder *b, const struct tree_place *place)
{
	uint32_t location = b->p->frame[place->frame].location;
	const struct symbols_level *level;
	uint32_t count;

	if (b->o->grouping == TREE_BY_ADDRESS)
		return (struct key){ 1, location };
	level = profile_levels(b->p, location, &count);
	/* Code without a name is identified by its module, and where it allocates by its address,
	 * as in the lists of top.h. */
	if (place->level >= count || !level[place->level].full)
		return place->is_function ? (struct key){ 1, location } :
					    (struct key){ 0, b->p->location[location].module };
	level += place->level;
	return (struct key){ (uint64_t)level->full << 32 | level->file,
			     place->is_function ? ANY_LINE : level->line };
}

/* One step outward. */
static void step_outward(const struct tree_builder *b, struct tree_place *place)
{
	uint32_t count = 0;

	if (b->o->grouping == TREE_BY_LINE)
		profile_levels(b->p, b->p->frame[place->frame].location, &count);
	if (++place->level < count)
		return;
	place->level = 0;
	place->frame = b->p->frame[place->frame].parent;
	if (--place->left == 0 || place->frame == 0)
		place->left = 0;
}

static bool is_same_key(struct key a, struct key b)
{
	return a.high == b.high && a.low == b.low;
}

/* Tells whether the next PERIOD keys repeat the last ones of the path; PLACE is then behind
 * them. */
static bool is_repeated_cycle(const struct tree_builder *b, struct tree_place *place,
			      unsigned int depth, unsigned int period)
{
	struct tree_place ahead = *place;

	for (unsigned int i = 0; i < period; i++) {
		if (ahead.left == 0 ||
		    !is_same_key(key_at_place(b, &ahead), b->path[depth - period + i]))
			return false;
		step_outward(b, &ahead);
	}
	*place = ahead;
	return true;
}

/* Recursion: what only repeats the path so far is walked over, so a thousand levels of f calling
 * itself are one node. */
static void fold_recursion(const struct tree_builder *b, struct tree_place *place,
			   unsigned int depth)
{
	unsigned int period = 1;

	while (place->left && period <= depth && period <= TREE_FOLD_MAX)
		if (is_repeated_cycle(b, place, depth, period)) {
			place->is_folded = true;
			period = 1;
		} else {
			period++;
		}
}

static void advance_walker(struct tree_builder *b, struct walker *w, unsigned int depth)
{
	step_outward(b, &w->place);
	w->place.is_folded = false;
	if (b->o->grouping == TREE_BY_LINE)
		fold_recursion(b, &w->place, depth);
	if (w->place.left)
		w->key = key_at_place(b, &w->place);
}

/* Tells whether the walkers of a function are at one line of it, so that their node may stand for
 * this line. They stand for lines from then on. */
static bool split_function(struct tree_builder *b, const struct group *g)
{
	struct walker *w = b->walker;
	bool is_one_line = true;

	for (size_t i = g->first; i < g->end; i++) {
		w[i].place.is_function = false;
		if (w[i].place.left)
			w[i].key = key_at_place(b, &w[i].place);
		is_one_line &= is_same_key(w[i].key, w[g->first].key);
	}
	return is_one_line;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static struct tree_node *append_tree_node(struct tree_builder *b)
{
	struct call_tree *t = b->t;

	array_reserve(&t->node, &t->room, t->count + 1, sizeof(*t->node));
	if (b->is_sampled)
		array_reserve(&t->error, &t->error_room, t->count + 1, sizeof(*t->error));
	t->node[t->count] = (struct tree_node){ .size = 1 };
	if (b->is_sampled)
		t->error[t->count] = (struct sampled_error){ .samples = 0 };
	return &t->node[t->count++];
}

static int64_t weight_of_values(const struct tree_builder *b, int64_t bytes, int64_t blocks)
{
	return b->o->by_blocks ? blocks : bytes;
}

static int compare_walker_keys(const void *a, const void *b)
{
	const struct walker *x = a, *y = b;

	/* Those at their end come first. */
	if (!x->place.left || !y->place.left)
		return !y->place.left - !x->place.left;
	if (x->key.high != y->key.high)
		return x->key.high < y->key.high ? -1 : 1;
	return (x->key.low > y->key.low) - (x->key.low < y->key.low);
}

static void append_group(struct tree_groups *g, const struct group *group)
{
	array_reserve(&g->group, &g->room, g->count + 1, sizeof(*g->group));
	g->group[g->count++] = *group;
}

/* The run of walkers from FIRST on that have one key. */
static struct group sum_group(const struct tree_builder *b, size_t first, size_t end)
{
	struct group g = { .first = first, .end = first };
	const struct walker *w = &b->walker[first];
	const struct location *l = &b->p->location[b->p->frame[w->place.frame].location];

	g.order = modules_order(&b->p->modules, l->module, l->pc);
	for (; g.end < end && is_same_key(b->walker[g.end].key, w->key); g.end++) {
		g.bytes += b->walker[g.end].bytes;
		g.blocks += b->walker[g.end].blocks;
		if (b->walker[g.end].error)
			sampled_error_add(&g.error, b->walker[g.end].error);
	}
	g.worth = weight_of_values(b, g.bytes, g.blocks);
	return g;
}

static int compare_group_weights(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->worth != y->worth)
		return x->worth > y->worth ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* The children that walkers [first, end) make, in order. */
static void group_walkers(struct tree_builder *b, struct tree_groups *g, size_t first, size_t end)
{
	struct group rest = { .first = first, .end = first };

	qsort(b->walker + first, end - first, sizeof(*b->walker), compare_walker_keys);
	for (; first < end && !b->walker[first].place.left; first++)
		g->has_ends = true;
	while (first < end) {
		struct group group = sum_group(b, first, end);

		if (group.worth < b->significant) {
			rest.bytes += group.bytes;
			rest.blocks += group.blocks;
			rest.worth += group.worth;
			sampled_error_add(&rest.error, &group.error);
			rest.merged++;
		} else {
			append_group(g, &group);
		}
		first = group.end;
	}
	if (rest.merged)
		append_group(g, &rest);
	if (g->count > 1)
		qsort(g->group, g->count, sizeof(*g->group), compare_group_weights);
}

/* See key_at_place(). */
static bool is_nameless(struct key key)
{
	return key.high <= 1;
}

/* Tells whether walkers with one key are at several functions, as far as can be known of functions
 * without a name: at several addresses. */
static bool has_nameless_functions(const struct tree_builder *b, const struct group *g)
{
	const struct walker *w = b->walker;

	for (size_t i = g->first; i < g->end; i++)
		if (is_nameless(w[i].key) && b->p->frame[w[i].place.frame].location !=
						     b->p->frame[w[g->first].place.frame].location)
			return b->o->grouping == TREE_BY_LINE;
	return false;
}

static void make_children(struct tree_builder *b, uint32_t parent, size_t first, size_t end);

static void make_group_node(struct tree_builder *b, const struct group *g, unsigned int depth)
{
	const struct walker *w = &b->walker[g->first];
	uint32_t number = b->t->count;
	struct tree_node *node = append_tree_node(b);

	node->bytes = g->bytes;
	node->blocks = g->blocks;
	node->depth = depth;
	node->merged = g->merged;
	if (b->is_sampled)
		b->t->error[number] = g->error;
	node->flags = g->merged ? TREE_MERGED : 0;
	if (g->merged)
		return;
	node->location = b->p->frame[w->place.frame].location;
	node->level = w->place.level;
	b->path[depth - 1] = w->key;
	if (w->place.is_function && !split_function(b, g)) {
		node->flags |= TREE_FUNCTION;
	} else {
		b->path[depth - 1] = w->key;
		node->flags |= has_nameless_functions(b, g) ? TREE_NAMELESS : 0;
		for (size_t i = g->first; i < g->end; i++) {
			advance_walker(b, &b->walker[i], depth);
			if (b->walker[i].place.is_folded)
				node->flags |= is_nameless(b->path[depth - 1]) ?
						       TREE_NAMELESS : TREE_RECURSIVE;
		}
	}
	make_children(b, number, g->first, g->end);
}

static void mark_lines(struct call_tree *t, uint32_t number, uint32_t children)
{
	uint32_t child = number + 1;

	if (!(t->node[number].flags & TREE_FUNCTION))
		return;
	for (; children > 0; children--, child += t->node[child].size)
		t->node[child].flags |= t->node[child].flags & TREE_MERGED ? 0 : TREE_LINE;
}

/* NUMBER is the index of a node; the array may move. */
static void make_children(struct tree_builder *b, uint32_t number, size_t first, size_t end)
{
	struct tree_groups g = { .count = 0 };
	unsigned int depth = b->t->node[number].depth + 1;
	uint32_t made = 0;

	group_walkers(b, &g, first, end);
	if (b->t->count + g.count > b->nodes_max) {
		b->t->is_cut = true;
		g.count = 0;
	}
	if (depth > b->depth_max)
		g.count = 0;
	for (; made < g.count; made++)
		make_group_node(b, &g.group[made], depth);
	mark_lines(b->t, number, made);
	b->t->node[number].children = made;
	b->t->node[number].size = b->t->count - number;
	b->t->node[number].flags |= g.has_ends ? TREE_ENDS : 0;
	free(g.group);
}

/* ---- everything ----------------------------------------------------------------------------- */

/* A weight that can be added up, whatever a damaged recording says. */
static int64_t clamp_value(const struct tree_builder *b, int64_t value)
{
	int64_t most = INT64_MAX / ((int64_t)b->p->sites.count + 1);

	return value < 0 ? 0 : value < most ? value : most;
}

static void start_walkers(struct tree_builder *b, const struct filter *f,
			  const struct weight *weight)
{
	const struct sites *sites = &b->p->sites;
	struct tree_node *root = b->t->node;

	for (uint32_t i = 0; i < sites->count; i++) {
		struct filtered stack;
		struct walker *w = &b->walker[b->walkers];

		if (!weight[i].is_there)
			continue;
		stack = filter_stack(f, sites->site[i].stack);
		if (stack.is_ignored)
			continue;
		*w = (struct walker){ .place = { .frame = stack.frame, .left = stack.count,
						 .is_function = b->o->grouping == TREE_BY_LINE },
				      .bytes = clamp_value(b, weight[i].bytes),
				      .blocks = clamp_value(b, weight[i].blocks),
				      .error = weight[i].error };
		if (stack.count)
			w->key = key_at_place(b, &w->place);
		root->bytes += w->bytes;
		root->blocks += w->blocks;
		if (w->error && b->is_sampled)
			sampled_error_add(&b->t->error[0], w->error);
		b->walkers++;
	}
}

static bool has_errors(const struct sites *sites, const struct weight *weight)
{
	for (uint32_t i = 0; i < sites->count; i++)
		if (weight[i].error)
			return true;
	return false;
}

/* Massif's formula: a floor, but never nothing when there is nothing. */
static int64_t least_significant(const struct tree_builder *b)
{
	const struct tree_node *root = b->t->node;
	int64_t all = weight_of_values(b, root->bytes, root->blocks);

	if (b->o->threshold <= 0)
		return INT64_MIN;
	if (all == 0)
		return 1;
	return (int64_t)(((double)all + (double)b->o->other) * b->o->threshold / 100);
}

void tree_build(struct call_tree *t, const struct filter *f, const struct weight *weight,
		const struct tree_options *o)
{
	struct tree_builder *b = xcalloc(1, sizeof(*b));

	*t = (struct call_tree){ .count = 0 };
	b->t = t;
	b->p = f->profile;
	b->o = o;
	b->nodes_max = o->nodes_max ? o->nodes_max : NODES_MAX;
	b->depth_max = o->depth && o->depth < TREE_DEPTH_MAX ? o->depth : TREE_DEPTH_MAX;
	b->is_sampled = has_errors(&b->p->sites, weight);
	b->walker = xreallocarray(NULL, (size_t)b->p->sites.count + 1, sizeof(*b->walker));
	append_tree_node(b);
	start_walkers(b, f, weight);
	b->significant = least_significant(b);
	make_children(b, 0, 0, b->walkers);
	free(b->walker);
	free(b);
}

void tree_free(struct call_tree *t)
{
	free(t->node);
	free(t->error);
	*t = (struct call_tree){ .count = 0 };
}
