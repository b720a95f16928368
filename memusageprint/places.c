/* places.c -- who allocated: texts about the places of a recording.
 *
 *	Top 2 of 14 places when the heap was largest: 52,480 bytes in 820 blocks
 *
 *	         bytes      %       blocks  place
 *	        40,960  78.05          640  read_line (input.c:34)
 *	                                    by load (main.c:22), main (main.c:50)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/units.h"
#include "memusageprint/placename.h"
#include "profile/tree.h"

enum { CALLERS = 6 };	/* shown of a place, if they are the only ones */

/* A list of places: what it is made of, and what it says. */
struct listing {
	enum metric_kind kind;
	bool by_blocks;
	const char *title;	/* of all there is: "when the heap was largest" */
	const char *nothing;	/* said when there is none */
};

static const struct listing top_listing = {
	METRIC_PEAK, false, "when the heap was largest", "nothing was allocated"
};
static const struct listing leak_listing = {
	METRIC_LIVE, false, "that were not freed", "everything was freed"
};
static const struct listing temporary_listing = {
	METRIC_TEMPORARY, true, "freed before their thread allocated again",
	"no block was freed before its thread allocated again"
};

static double percent(int64_t part, int64_t all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}

static const char *grouped(char buffer[UNITS_LENGTH], int64_t value)
{
	return units_grouped(buffer, value > 0 ? (uint64_t)value : 0);
}

static const char *plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

static int build(struct tree *t, struct subject *s, enum metric_kind kind, int snapshot,
		 const struct tree_options *o)
{
	const struct sites *sites = &s->profile.sites;
	struct mu_error err;

	*t = (struct tree){ .count = 0 };
	if (sites_weigh(sites, &s->image, kind, (uint64_t)snapshot, s->weight) < 0) {
		warn("%s: has no snapshot %d", s->recording->name, snapshot);
		return -1;
	}
	/* Of temporary blocks it matters how many of all they are. */
	for (uint32_t i = 0; kind == METRIC_TEMPORARY && i < sites->count; i++)
		s->weight[i].bytes = (int64_t)sites->site[i].total_blocks;
	if (tree_build(t, &s->filter, s->weight, o, &err) == 0)
		return 0;
	warn("%s: %s", s->recording->name, err.text);
	return -1;
}

/* ---- lists ------------------------------------------------------------------------------- */

/* Callers, as long as there is one only. */
static void print_callers(FILE *out, const struct subject *s, const struct tree_node *node)
{
	const char *before = "by ";
	char name[PLACENAME_LENGTH];

	for (int i = 0; i < CALLERS && node->children == 1; i++) {
		node++;
		fprintf(out, "%s%s", before, placename(name, s, node));
		before = ", ";
	}
	if (node->children > 1)
		fprintf(out, "%s%" PRIu32 " callers, mostly %s", before, node->children,
			placename(name, s, node + 1));
}

static void print_place(FILE *out, const struct subject *s, const struct tree_node *node,
			const struct listing *l, const struct tree_node *root)
{
	char bytes[UNITS_LENGTH], blocks[UNITS_LENGTH], name[PLACENAME_LENGTH];
	double share = l->by_blocks ? percent(node->blocks, root->blocks) :
				      percent(node->bytes, root->bytes);

	fprintf(out, "%14s %6.2f %12s  %s\n", grouped(bytes, l->by_blocks ? node->blocks :
								 node->bytes),
		share, grouped(blocks, l->by_blocks ? node->bytes : node->blocks),
		placename(name, s, node));
	if (node->children == 0)
		return;
	fprintf(out, "%36s", "");
	print_callers(out, s, node);
	putc('\n', out);
}

/* Places that are only there because they once were something do not count. */
static uint32_t count_places(const struct tree *t, bool by_blocks)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < t->count; i += t->node[i].size)
		count += (by_blocks ? t->node[i].blocks : t->node[i].bytes) > 0;
	return count;
}

static void print_title(FILE *out, const struct listing *l, const struct tree *t, unsigned top)
{
	char a[UNITS_LENGTH], b[UNITS_LENGTH];
	const struct tree_node *root = &t->node[0];
	uint32_t places = count_places(t, l->by_blocks);

	if (places == 0) {
		fprintf(out, "\n%c%s.\n", l->nothing[0] - 'a' + 'A', l->nothing + 1);
		return;
	}
	if (places > top)
		fprintf(out, "\nTop %u of %" PRIu32 " places", top, places);
	else
		fprintf(out, "\nAll %" PRIu32 " place%s", places, plural(places));
	if (l->by_blocks)
		fprintf(out, ": %s of %s blocks %s\n\n     temporary      %%   all blocks  place\n",
			grouped(a, root->blocks), grouped(b, root->bytes), l->title);
	else
		fprintf(out, ": %s byte%s in %s block%s %s\n\n         bytes      %%       blocks  "
			     "place\n",
			grouped(a, root->bytes), plural(root->bytes), grouped(b, root->blocks),
			plural(root->blocks), l->title);
}

static int print_list(FILE *out, struct subject *s, const struct listing *l, unsigned top)
{
	const struct tree_options o = { .grouping = TREE_BY_LINE, .by_blocks = l->by_blocks,
					.depth = CALLERS + 1 };
	struct tree t;
	int result = build(&t, s, l->kind, 0, &o);
	uint32_t node = 1;

	if (result == 0) {
		print_title(out, l, &t, top);
		for (unsigned i = 0; i < top && node < t.count; i++, node += t.node[node].size) {
			if ((l->by_blocks ? t.node[node].blocks : t.node[node].bytes) <= 0)
				break;
			print_place(out, s, &t.node[node], l, &t.node[0]);
		}
	}
	tree_free(&t);
	return result;
}

/* ---- the tree ---------------------------------------------------------------------------- */

struct tree_printer {
	FILE *out;
	const struct subject *s;
	const struct tree *t;
	char prefix[2 * TREE_DEPTH_MAX + 1];
};

static void print_node(struct tree_printer *p, const struct tree_node *node)
{
	char bytes[UNITS_LENGTH], blocks[UNITS_LENGTH], name[PLACENAME_LENGTH];

	fprintf(p->out, "%05.2f%% (%sB, %s block%s) ", percent(node->bytes, p->t->node[0].bytes),
		grouped(bytes, node->bytes), grouped(blocks, node->blocks), plural(node->blocks));
	if (node->flags & TREE_MERGED)
		fprintf(p->out, "in %" PRIu32 " place%s below the threshold\n", node->merged,
			plural(node->merged));
	else
		fprintf(p->out, "%s%s\n", placename(name, p->s, node),
			node->flags & TREE_RECURSIVE ? " (recursive)" : "");
}

/* The prefix holds what stands before the names of a level: "| | ". */
static void print_children(struct tree_printer *p, const struct tree_node *node)
{
	const struct tree_node *child = node + 1;
	size_t length = strlen(p->prefix);

	for (uint32_t left = node->children; left > 0; left--, child += child->size) {
		fprintf(p->out, "%s->", p->prefix);
		print_node(p, child);
		strcpy(p->prefix + length, left == 1 ? "  " : "| ");
		print_children(p, child);
		p->prefix[length] = '\0';
	}
}

static int print_tree(FILE *out, struct subject *s, const struct settings *settings)
{
	const int at = settings->tree;
	const enum metric_kind kind = at == TREE_AT_PEAK ? METRIC_PEAK :
				      at == TREE_AT_END ? METRIC_LIVE :
				      at == TREE_OF_TOTAL ? METRIC_TOTAL : METRIC_SNAPSHOT;
	const struct tree_options o = { .grouping = TREE_BY_LINE,
					.threshold = settings->threshold,
					.depth = settings->depth };
	char a[UNITS_LENGTH], b[UNITS_LENGTH];
	struct tree_printer *p = calloc(1, sizeof(*p));
	struct tree t;
	int result = build(&t, s, kind, at, &o);

	if (result == 0 && p) {
		*p = (struct tree_printer){ .out = out, .s = s, .t = &t };
		fprintf(out, "\nTree of callers %s: %s bytes in %s blocks\n\n",
			at == TREE_AT_PEAK ? "when the heap was largest" :
			at == TREE_AT_END ? "at the end" :
			at == TREE_OF_TOTAL ? "of all that was allocated" : "at the snapshot",
			grouped(a, t.node[0].bytes), grouped(b, t.node[0].blocks));
		print_children(p, &t.node[0]);
	}
	free(p);
	tree_free(&t);
	return result;
}

int places_print(FILE *out, struct subject *s, const struct settings *settings)
{
	unsigned text = settings->text ? settings->text : TEXT_TOP;
	int result = 0;

	if (text & TEXT_TOP)
		result |= print_list(out, s, &top_listing, settings->top);
	if (text & TEXT_TREE)
		result |= print_tree(out, s, settings);
	if (text & TEXT_LEAKS)
		result |= print_list(out, s, &leak_listing, settings->top);
	if (text & TEXT_TEMPORARY)
		result |= print_list(out, s, &temporary_listing, settings->top);
	return result;
}
