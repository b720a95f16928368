/* dhat_tree.c -- Program points as the tree that DHAT's viewer shows.
 *
 * Points are sorted by their frames, so the points of a node are neighbours, and the frames that
 * the first and the last of them share are shared by all.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/dhat/dhat_tree.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

uint32_t dhat_tree_frame(const struct dhat_tree *t, uint32_t point, uint32_t i)
{
	const struct dhat_point *p = &t->d->point[point];

	return t->d->stacked[p->first_frame + (t->is_inverted ? p->frames - 1 - i : i)];
}

static uint32_t point_depth(const struct dhat_tree *t, uint32_t point)
{
	return t->d->point[point].frames;
}

/* A stack that is the beginning of another one sorts before it. */
static int compare_frames(const void *a, const void *b, void *data)
{
	const struct dhat_tree *t = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t most = point_depth(t, x) < point_depth(t, y) ? point_depth(t, x) : point_depth(t,
												y);

	for (uint32_t i = 0; i < most; i++) {
		uint32_t f = dhat_tree_frame(t, x, i), g = dhat_tree_frame(t, y, i);

		if (f != g)
			return f < g ? -1 : 1;
	}
	if (point_depth(t, x) != point_depth(t, y))
		return point_depth(t, x) < point_depth(t, y) ? -1 : 1;
	return (x > y) - (x < y);
}

/* Returns the number of frames that two points share; they share FROM at least. */
static uint32_t common_length(const struct dhat_tree *t, uint32_t a, uint32_t b, uint32_t from)
{
	while (from < point_depth(t, a) && from < point_depth(t, b) &&
	       dhat_tree_frame(t, a, from) == dhat_tree_frame(t, b, from))
		from++;
	return from;
}

static void append_node(struct dhat_tree *t, uint32_t first, uint32_t last, uint32_t from)
{
	struct dhat_node *n = &t->node[t->count++];

	*n = (struct dhat_node){ .first = first, .last = last, .from = from, .to = from,
				 .birth = UINT32_MAX };
	for (uint32_t i = first; i < last; i++) {
		dhat_add_figures(&n->sum, &t->d->point[t->order[i]]);
		if (t->order[i] < n->birth)
			n->birth = t->order[i];
	}
	if (first < last)
		n->to = common_length(t, t->order[first], t->order[last - 1], from);
	/* Maxima are of different moments: their sum is no maximum of the node. */
	if (last - first != 1)
		n->sum.max_bytes = n->sum.max_blocks = 0;
}

/* True if two neighbours belong to the same child. Stacks differ, so at most one ends here. */
static bool share_child(const struct dhat_tree *t, uint32_t a, uint32_t b, uint32_t at)
{
	return point_depth(t, a) > at && point_depth(t, b) > at &&
	       dhat_tree_frame(t, a, at) == dhat_tree_frame(t, b, at);
}

static void append_children(struct dhat_tree *t, uint32_t number)
{
	const struct dhat_node n = t->node[number];
	uint32_t child = t->count;

	if (n.last - n.first < 2)
		return;
	for (uint32_t i = n.first, next; i < n.last; i = next) {
		for (next = i + 1; next < n.last &&
				   share_child(t, t->order[i], t->order[next], n.to);)
			next++;
		append_node(t, i, next, n.to);
	}
	t->node[number].child = child;
	t->node[number].children = t->count - child;
}

static bool point_matches(const struct dhat *d, const struct dhat_point *p, const uint8_t *matches)
{
	for (uint32_t i = 0; i < p->frames; i++) {
		if (matches[d->stacked[p->first_frame + i]])
			return true;
	}
	return false;
}

static void choose_points(struct dhat_tree *t, const char *grep)
{
	const struct dhat *d = t->d;
	uint8_t *matches = xcalloc((size_t)d->frame.count + 1, 1);

	for (uint32_t i = 0; grep && i <= d->frame.count; i++)
		matches[i] = strstr(dhat_text(d, i), grep) != NULL;
	for (uint32_t i = 0; i < d->count; i++) {
		if (!grep || point_matches(d, &d->point[i], matches))
			t->order[t->points++] = i;
	}
	free(matches);
}

void dhat_tree_build(struct dhat_tree *t, const struct dhat *d, bool is_inverted,
		     const char *grep)
{
	*t = (struct dhat_tree){ .d = d, .is_inverted = is_inverted };
	t->order = xcalloc((size_t)d->count + 1, sizeof(*t->order));
	choose_points(t, grep);
	qsort_r(t->order, t->points, sizeof(*t->order), compare_frames, t);
	/* Every inner node has at least two children. */
	t->node = xcalloc(2 * (size_t)t->points + 1, sizeof(*t->node));
	append_node(t, 0, t->points, 0);
	for (uint32_t i = 0; i < t->count; i++)
		append_children(t, i);
}

/* ---- weights ----------------------------------------------------------------------------- */

static int compare_values(const void *a, const void *b, void *data)
{
	const struct dhat_node *x = a, *y = b;
	enum dhat_metric metric = *(const enum dhat_metric *)data;
	double p = dhat_metric_value(metric, &x->sum), q = dhat_metric_value(metric, &y->sum);

	if (p != q)
		return p > q ? -1 : 1;
	if (x->sum.total_bytes != y->sum.total_bytes)
		return x->sum.total_bytes > y->sum.total_bytes ? -1 : 1;
	return (x->birth > y->birth) - (x->birth < y->birth);
}

/* Sorting moves nodes among their siblings only, and their children indices with them. */
void dhat_tree_weigh(struct dhat_tree *t, enum dhat_metric metric, double threshold)
{
	for (uint32_t i = t->count; i-- > 0;) {
		struct dhat_node *n = &t->node[i];

		n->weight = DHAT_NOT;
		for (uint32_t k = 0; k < n->children; k++) {
			if (t->node[n->child + k].weight != DHAT_NOT)
				n->weight = DHAT_BELOW;
		}
		if (dhat_metric_matters(metric, &n->sum, &t->node[0].sum, t->d, threshold))
			n->weight = DHAT_SELF;
		qsort_r(t->node + n->child, n->children, sizeof(*n), compare_values, &metric);
	}
}

void dhat_tree_free(struct dhat_tree *t)
{
	free(t->order);
	free(t->node);
	*t = (struct dhat_tree){ .d = NULL };
}
