/* massif_lines.c -- a tree as the lines that Massif writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/massif_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/xmalloc.h"

struct lines_writer {
	const struct call_tree *t;
	const struct filter *f;
	const struct massif_lines_options *o;
	massif_line_fn put;
	void *data;
	FILE *out;	/* writes to text */
	char *text;
	size_t length;
};

static void write_node_line(struct lines_writer *w, const struct tree_node *n, uint32_t depth,
			    uint32_t children)
{
	struct massif_line line = { .bytes = (uint64_t)n->bytes, .depth = depth,
				    .children = children };

	/* The final zero is written by hand: going back does not make the text shorter. */
	putc('\0', w->out);
	fflush(w->out);
	line.text = w->text;
	w->put(&line, w->data);
	rewind(w->out);
}

static void write_merged_line(struct lines_writer *w, const struct tree_node *n, uint32_t depth)
{
	if (n->merged == 1)
		fputs("in 1 place, ", w->out);
	else
		fprintf(w->out, "in %" PRIu32 " places, all ", n->merged);
	fprintf(w->out, "below massif's threshold (%.2f%%)", w->o->threshold);
	write_node_line(w, n, depth, 0);
}

/* The lines of one node; returns the depth of the last. */
static uint32_t write_tree_node(struct lines_writer *w, const struct tree_node *n, uint32_t depth)
{
	const struct profile *p = w->f->profile;
	struct symbols_place place = { .address = p->location[n->location].pc - 1, .name = "",
				       .file = "", .object = profile_object(p, n->location) };
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, n->location, &count);
	uint32_t lines = w->o->no_inlines || count == 0 ? 1 : count;

	for (uint32_t i = 0; i < lines; i++) {
		bool is_last = i + 1 == lines;

		if (count) {
			/* Without the inlined ones, their function at their line. */
			place.name = symbols_text(&p->symbols,
						  level[is_last ? count - 1 : i].name);
			place.file = symbols_text(&p->symbols, level[i].file);
			place.base = level[i].base;
			place.line = level[i].line;
		}
		if (is_last && filter_is_below_main(w->f, n->location))
			place.name = "(below main)";
		symbols_put_massif(w->out, &place, w->o->strip, w->o->strips);
		write_node_line(w, n, depth + i, is_last ? n->children : 1);
	}
	return depth + lines - 1;
}

/* The depth that the lines of each level of the tree have come to. */
static void write_all_nodes(struct lines_writer *w, uint32_t *depth)
{
	write_node_line(w, &w->t->node[0], 0, w->t->node[0].children);
	depth[0] = 0;
	for (uint32_t i = 1; i < w->t->count; i++) {
		const struct tree_node *n = &w->t->node[i];

		if (n->flags & TREE_MERGED)
			write_merged_line(w, n, depth[n->depth - 1] + 1);
		else
			depth[n->depth] = write_tree_node(w, n, depth[n->depth - 1] + 1);
	}
}

void massif_lines(const struct call_tree *t, const struct filter *f,
		  const struct massif_lines_options *o, massif_line_fn put, void *data)
{
	struct lines_writer w = { .t = t, .f = f, .o = o, .put = put, .data = data };
	uint32_t *depth = xcalloc(TREE_DEPTH_MAX + 1, sizeof(*depth));

	w.out = xopen_memstream(&w.text, &w.length);
	write_all_nodes(&w, depth);
	xclose_memstream(w.out);
	free(w.text);
	free(depth);
}
