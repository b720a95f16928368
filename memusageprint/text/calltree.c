/* calltree.c -- A tree of the allocating functions and their callers, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/calltree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "memusageprint/text/advice.h"
#include "memusageprint/text/bounds_note.h"
#include "memusageprint/text/frame_text.h"
#include "memusageprint/text/label_list.h"
#include "memusageprint/text/metric_text.h"

enum { FIGURES_COLUMNS = 20, BOUNDS_COLUMN = 11 };

struct calltree_printer {
	FILE *out;
	const struct calltree *c;
	const struct call_tree *t;
	/* The lines of the tree before the names: three characters per level that branches. */
	char prefix[3 * TREE_DEPTH_MAX + 1];
};

static bool is_about_blocks(const struct calltree_printer *p)
{
	return p->c->kind == METRIC_TEMPORARY;
}

static int64_t rank_value(const struct calltree_printer *p, const struct tree_node *n)
{
	return is_about_blocks(p) ? n->blocks : n->bytes;
}

static bool has_bounds(const struct calltree_printer *p)
{
	return p->c->distance > 0 && p->t->error;
}

/* Returns the bounds of what the nodes of the tree are ordered by. */
static const char *node_bounds(const struct calltree_printer *p, const struct tree_node *n,
			       char text[BOUNDS_LENGTH])
{
	const struct sampled_error *e = &p->t->error[n - p->t->node];

	return is_about_blocks(p) ? bounds_blocks(text, e, n->blocks) :
				    bounds_bytes(text, e, n->bytes, p->c->distance);
}

static void put_node_figures(struct calltree_printer *p, const struct tree_node *n)
{
	char text[UNITS_LENGTH], bounds[BOUNDS_LENGTH];
	int64_t value = rank_value(p, n);

	if (is_about_blocks(p))
		units_grouped(text, (uint64_t)value);
	else
		units_bytes(text, (uint64_t)value);
	fprintf(p->out, "%11s ", text);
	if (has_bounds(p))
		fprintf(p->out, "%-*s ", BOUNDS_COLUMN, node_bounds(p, n, bounds));
	fprintf(p->out, LAYOUT_STRONG "%5.1f%%" LAYOUT_PLAIN "  " LAYOUT_TEXT,
		metric_text_percent(value, rank_value(p, &p->t->node[0])));
}

static void put_node_name(const struct calltree_printer *p, const struct tree_node *n)
{
	const struct profile *profile = p->c->filter->profile;
	const struct symbols_level *level;
	uint32_t count;

	if (n->flags & TREE_MERGED) {
		fprintf(p->out, "%" PRIu32 " place%s, each below %g%%", n->merged,
			n->merged == 1 ? "" : "s", p->c->threshold);
		return;
	}
	level = profile_levels(profile, n->location, &count);
	level = n->level < count ? level + n->level : NULL;
	if (n->flags & TREE_NAMELESS && n->depth > 1)
		frame_text_put_nameless(p->out, profile, n->location);
	else if (n->flags & TREE_FUNCTION)
		frame_text_put_function(p->out, profile, n->location, level);
	else if (n->flags & TREE_LINE)
		frame_text_put_line(p->out, profile, level);
	else
		frame_text_put_level(p->out, profile, n->location, level);
}

/* Ends the line of a node with what else it stands for. */
static void put_rest_of_line(const struct calltree_printer *p, const struct tree_node *n)
{
	if (n->flags & TREE_NAMELESS && n->depth == 1)
		fputs(", and callers without a name", p->out);
	fputs(n->flags & TREE_RECURSIVE ? " (recursive)\n" : "\n", p->out);
}

static void put_child_nodes(struct calltree_printer *p, const struct tree_node *n);

/* Prints a node and the nodes below it. BRANCH goes before its own line, TRUNK before theirs. */
static void put_node_and_below(struct calltree_printer *p, const struct tree_node *n,
			       const char *branch,
			       const char *trunk)
{
	const int columns = FIGURES_COLUMNS + (has_bounds(p) ? BOUNDS_COLUMN + 1 : 0);
	size_t length = strlen(p->prefix);

	put_node_figures(p, n);
	fprintf(p->out, "%s%s" LAYOUT_TREE, p->prefix, branch);
	put_node_name(p, n);
	put_rest_of_line(p, n);
	strcpy(p->prefix + length, trunk);
	/* A chain of only callers, each with all bytes, continues without figures. */
	while (n->children == 1 && rank_value(p, n + 1) == rank_value(p, n) &&
	       !(n[1].flags & TREE_MERGED)) {
		n++;
		fprintf(p->out, "%*s" LAYOUT_TEXT "%s" LAYOUT_TREE, columns, "", p->prefix);
		put_node_name(p, n);
		put_rest_of_line(p, n);
	}
	put_child_nodes(p, n);
	p->prefix[length] = '\0';
}

static void put_child_nodes(struct calltree_printer *p, const struct tree_node *n)
{
	const struct tree_node *child = n + 1;
	bool is_root = n->depth == 0;

	for (uint32_t left = n->children; left > 0; left--, child += child->size) {
		if (is_root)
			put_node_and_below(p, child, "", "");
		else
			put_node_and_below(p, child, left > 1 ? "|- " : "`- ",
					   left > 1 ? "|  " : "   ");
	}
}

static const char *root_words(const struct calltree_printer *p)
{
	return p->c->kind == METRIC_LIVE && p->c->is_live ? "live now" : metric_text(p->c->kind);
}

static void put_root_total(struct calltree_printer *p)
{
	const struct tree_node *root = &p->t->node[0];
	char a[BOUNDS_LENGTH], b[UNITS_LENGTH + BOUNDS_LENGTH];

	units_bytes(a, (uint64_t)root->bytes);
	units_grouped(b, (uint64_t)root->blocks);
	if (has_bounds(p)) {
		bounds_bytes_text(a, p->t->error, root->bytes, p->c->distance);
		strcat(b, " ");
		bounds_blocks(b + strlen(b), p->t->error, root->blocks);
	}
	if (is_about_blocks(p))
		fprintf(p->out, "%s temporary block%s", b, root->blocks == 1 ? "" : "s");
	else if (p->c->lacks_blocks)
		fprintf(p->out, "%s, %s", a, metric_text(p->c->kind));
	else
		fprintf(p->out, "%s in %s block%s, %s", a, b, root->blocks == 1 ? "" : "s",
			root_words(p));
}

/* "2.00 MiB in 12 blocks, live at the end: 75.0% by read_line (input.c:34)" */
static void put_heading(struct calltree_printer *p)
{
	const struct tree_node *root = &p->t->node[0], *first = root + 1;

	put_root_total(p);
	if (root->children > 0 && !(first->flags & TREE_MERGED)) {
		fprintf(p->out, ": " LAYOUT_STRONG "%.1f%%" LAYOUT_PLAIN " by ",
			metric_text_percent(rank_value(p, first), rank_value(p, root)));
		put_node_name(p, first);
	}
	fprintf(p->out, "\n\n" LAYOUT_TITLE "%11s ", is_about_blocks(p) ? "blocks" : "bytes");
	if (has_bounds(p))
		fprintf(p->out, "%-*s ", BOUNDS_COLUMN, "bounds");
	fprintf(p->out, "%6s  " LAYOUT_TEXT "allocated by, called by\n", "%");
}

static void put_names_advice(struct calltree_printer *p)
{
	const bool by_blocks = is_about_blocks(p);
	struct top places;

	top_build(&places, p->c->filter, p->c->weight, TOP_BY_FUNCTION,
		  by_blocks ? TOP_BY_BLOCKS : TOP_BY_BYTES);
	advice_print_names(p->out, p->c->filter->profile, &places, by_blocks);
	top_free(&places);
}

void calltree_print(FILE *out, const struct calltree *c)
{
	const struct tree_options o = { .grouping = TREE_BY_LINE, .threshold = c->threshold,
					.by_blocks = c->kind == METRIC_TEMPORARY,
					.depth = c->depth };
	const struct label_list labels = { .filter = c->filter, .weight = c->weight,
					   .by_blocks = c->kind == METRIC_TEMPORARY,
					   .lacks_blocks = c->lacks_blocks,
					   .distance = c->distance };
	struct calltree_printer *p = xcalloc(1, sizeof(*p));
	struct call_tree t;

	tree_build(&t, c->filter, c->weight, &o);
	p->out = out;
	p->c = c;
	p->t = &t;
	if (c->distance > 0 && t.node[0].bytes == 0 && t.node[0].blocks == 0) {
		metric_text_put_nothing(out, root_words(p), c->unseen);
		goto out;
	}
	put_heading(p);
	put_child_nodes(p, &t.node[0]);
	label_list_put(out, &labels);
	if (t.is_cut)
		fputs("\nThe tree is not complete: a higher threshold shows all of it.\n", out);
	if (has_bounds(p))
		putc('\n', out);
	bounds_note_put(out, has_bounds(p) ? c->distance : 0, c->unseen);
	put_names_advice(p);
out:
	tree_free(&t);
	free(p);
}
