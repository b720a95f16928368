/* diff_tree.c -- The tree of callers of what changed from one run to another, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/diff/diff_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/xmalloc.h"
#include "memusageprint/diff/diff_list.h"
#include "memusageprint/diff/diff_text.h"
#include "memusageprint/text/frame_text.h"
#include "profile/model/position.h"

enum { FIGURES = 37, LEVELS_MAX = 256, PREFIX = 3 * LEVELS_MAX };

/* A stack on the way outward. */
struct walker {
	struct position at;
	uint64_t key;		/* of the function there */
	uint32_t site;
	bool has_ended;		/* the stack has no more callers */
};

/* Walkers that are in the same function: a node. */
struct node {
	struct walker *walker;
	uint32_t count;
	int64_t amount[SIDES];
	double activity;	/* the sum of all changes, without their signs */
	struct sampled_error error;
};

struct tree_printer {
	FILE *out;
	const struct difference *d;
	double least;		/* activity of a node that is shown */
	unsigned int depth;
	char prefix[PREFIX + 1];
};

static const struct profile *tree_profile(const struct tree_printer *t)
{
	return &t->d->comparison.profile;
}

/* Functions with a name are one, whatever their lines. */
static uint64_t key_of_position(const struct profile *p, const struct position *at)
{
	const struct symbols_level *level = position_level(p, at);

	if (level && level->full)
		return (uint64_t)level->full << 32 | level->file;
	return (UINT64_C(1) << 63) | p->frame[at->frame].location;
}

static int compare_walkers(const void *a, const void *b)
{
	const struct walker *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

static int compare_nodes(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	if (x->activity > y->activity || x->activity < y->activity)
		return x->activity > y->activity ? -1 : 1;
	return x->walker[0].key < y->walker[0].key ? -1 : 1;
}

static void add_walker(const struct tree_printer *t, struct node *n, const struct walker *w)
{
	for (int s = 0; s < SIDES; s++)
		n->amount[s] += t->d->weight[s][w->site].bytes;
	n->activity += fabs((double)t->d->change[w->site].bytes);
	if (t->d->change_error)
		sampled_error_add(&n->error, &t->d->change_error[w->site]);
	n->count++;
}

static int64_t change_of(const struct node *n)
{
	return n->amount[SIDE_NEW] - n->amount[SIDE_OLD];
}

/* Splits walkers by their functions. Returns the nodes, most changed first, to be freed. */
static struct node *split_walkers(const struct tree_printer *t, struct walker *w, uint32_t count,
				  uint32_t *nodes)
{
	struct node *node = xcalloc((size_t)count + 1, sizeof(*node));

	*nodes = 0;
	qsort(w, count, sizeof(*w), compare_walkers);
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || w[i].key != w[i - 1].key)
			node[(*nodes)++] = (struct node){ .walker = &w[i] };
		add_walker(t, &node[*nodes - 1], &w[i]);
	}
	qsort(node, *nodes, sizeof(*node), compare_nodes);
	return node;
}

/* Moves all walkers of a node to their callers; those that have none go to the end. Returns how
 * many have one. */
static uint32_t step_outward(const struct tree_printer *t, const struct node *n)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < n->count; i++) {
		struct walker w = n->walker[i];

		if (!position_step(tree_profile(t), &w.at))
			continue;
		w.key = key_of_position(tree_profile(t), &w.at);
		n->walker[i] = n->walker[left];
		n->walker[left++] = w;
	}
	return left;
}

/* ---- printing ------------------------------------------------------------------------------ */

static void put_figures(struct tree_printer *t, const struct node *n)
{
	char change[UNITS_LENGTH + 1], old[UNITS_LENGTH], new[UNITS_LENGTH];

	fprintf(t->out, "%11s %11s %11s  " LAYOUT_TEXT,
		diff_text_change(t->d, change, change_of(n)),
		diff_text_amount(t->d, old, n->amount[SIDE_OLD]),
		diff_text_amount(t->d, new, n->amount[SIDE_NEW]));
}

/* A node that has several lines shows none. */
static void put_name(struct tree_printer *t, const struct node *n)
{
	const struct profile *p = tree_profile(t);
	const struct symbols_level *first = position_level(p, &n->walker[0].at);
	bool has_lines = false;

	for (uint32_t i = 1; i < n->count && first; i++) {
		const struct symbols_level *level = position_level(p, &n->walker[i].at);

		has_lines |= level && level->line != first->line;
	}
	frame_text_put_place(t->out, p, &n->walker[0].at,
			     has_lines ? TOP_BY_FUNCTION : TOP_BY_LINE);
	putc('\n', t->out);
}

static bool is_shown(const struct tree_printer *t, const struct node *n)
{
	return n->activity >= t->least && n->activity > 0 &&
	       !difference_is_within_error(t->d, change_of(n), &n->error);
}

static void put_node(struct tree_printer *t, struct node *n, unsigned int depth, bool is_last);

/* Prints the callers of N that matter, and one line for the others. */
static void put_callers(struct tree_printer *t, const struct node *n, unsigned int depth)
{
	uint32_t nodes, shown = 0;
	struct node *node = split_walkers(t, n->walker, step_outward(t, n), &nodes);
	struct node rest = { .count = 0 };

	for (uint32_t i = 0; i < nodes; i++) {
		if (depth < t->depth && is_shown(t, &node[i])) {
			node[shown++] = node[i];
			continue;
		}
		for (uint32_t k = 0; k < node[i].count; k++)
			add_walker(t, &rest, &node[i].walker[k]);
	}
	for (uint32_t i = 0; i < shown; i++)
		put_node(t, &node[i], depth + 1, i + 1 == shown && change_of(&rest) == 0);
	if (change_of(&rest) != 0 && depth < t->depth) {
		put_figures(t, &rest);
		fprintf(t->out, "%s`- " LAYOUT_TREE "other callers\n", t->prefix);
	}
	free(node);
}

/* Prints callers without figures as long as there is only one. Returns the last; its walkers are
 * those of N. */
static void put_only_callers(struct tree_printer *t, struct node *n, unsigned int *depth)
{
	for (;;) {
		struct node next = *n;
		uint32_t left;

		/* Look before stepping: a step cannot be taken back. */
		for (uint32_t i = 0; i < n->count; i++) {
			struct position at = n->walker[i].at;

			if (!position_step(tree_profile(t), &at))
				return;
			n->walker[i].key = key_of_position(tree_profile(t), &at);
			if (n->walker[i].key != n->walker[0].key)
				return;
		}
		left = step_outward(t, n);
		if (left != n->count || ++*depth >= t->depth)
			return;
		fprintf(t->out, "%*s" LAYOUT_TEXT "%s" LAYOUT_TREE, FIGURES, "", t->prefix);
		put_name(t, &next);
	}
}

static void put_node(struct tree_printer *t, struct node *n, unsigned int depth, bool is_last)
{
	const size_t length = strlen(t->prefix);
	const bool is_branch = depth > 1 && length + 3 < PREFIX;

	put_figures(t, n);
	fprintf(t->out, "%s%s" LAYOUT_TREE, t->prefix,
		!is_branch ? "" : is_last ? "`- " : "|- ");
	put_name(t, n);
	if (is_branch)
		strcpy(t->prefix + length, is_last ? "   " : "|  ");
	put_only_callers(t, n, &depth);
	put_callers(t, n, depth);
	t->prefix[length] = '\0';
}

static struct walker *begin_walk(struct tree_printer *t, uint32_t *count)
{
	const struct comparison *c = &t->d->comparison;
	struct walker *w = xcalloc((size_t)c->profile.sites.count + 1, sizeof(*w));

	*count = 0;
	for (uint32_t i = 0; i < c->profile.sites.count; i++) {
		const struct filtered stack = filter_stack(&c->filter, i);

		if (!t->d->change[i].is_there || stack.count == 0)
			continue;
		w[*count] = (struct walker){ .at = position_innermost(&stack), .site = i };
		w[*count].key = key_of_position(&c->profile, &w[*count].at);
		++*count;
	}
	return w;
}

static void put_roots(struct tree_printer *t, struct walker *w, uint32_t count, double threshold)
{
	struct node all = { .walker = w }, rest = { .count = 0 };
	struct node *node;
	uint32_t nodes;

	for (uint32_t i = 0; i < count; i++)
		add_walker(t, &all, &w[i]);
	t->least = all.activity * threshold / 100;
	node = split_walkers(t, w, count, &nodes);
	for (uint32_t i = 0; i < nodes; i++) {
		if (is_shown(t, &node[i])) {
			put_node(t, &node[i], 1, false);
			continue;
		}
		for (uint32_t k = 0; k < node[i].count; k++)
			add_walker(t, &rest, &node[i].walker[k]);
	}
	if (rest.count > 0) {
		put_figures(t, &rest);
		fprintf(t->out, "all other places%s\n", t->d->distance > 0 ?
			", within the error of the estimates or small" : "");
	}
	free(node);
}

void diff_tree_print(FILE *out, const struct difference *d, const struct settings *settings)
{
	struct tree_printer *t = xcalloc(1, sizeof(*t));
	struct walker *w;
	uint32_t count;

	t->out = out;
	t->d = d;
	t->depth = settings->depth < LEVELS_MAX ? settings->depth : LEVELS_MAX;
	diff_list_put_answer(out, d, settings);
	diff_text_put_summary(out, d);
	w = begin_walk(t, &count);
	fprintf(out, "\n" LAYOUT_TITLE "%11s %11s %11s  " LAYOUT_TEXT "allocated by, called by\n",
		"change", "old", "new");
	put_roots(t, w, count, settings->threshold);
	diff_text_put_explanation(out, d);
	free(w);
	free(t);
}
