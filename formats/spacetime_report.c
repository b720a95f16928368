/* spacetime_report.c -- Reports the places that have the heap's spacetime, as text or linked HTML.
 *
 * The report lists the tree of contexts level by level: first all places that allocated, then each
 * of these with its callers, and so on. A percentage leads to the entry of its context, which leads
 * back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/spacetime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/utf8.h"
#include "profile/model/tree.h"

/* Share of the total: places below it are counted, not shown. */
#define SIGNIFICANT 0.005

#define NOBODY UINT32_MAX	/* a caller that is not known: the stack ended */

struct report_writer {
	FILE *out;
	const struct spacetime *s;
	const struct spacetime_report *r;
	const struct call_tree *t;
	unsigned int depth;
	uint32_t *parent;	/* by node */
};

/* A child in the order of size; NOBODY has what the others leave. */
struct child {
	uint32_t node;
	int64_t space;
};

/* ---- places ------------------------------------------------------------------------------ */

static void write_escaped_text(struct report_writer *w, const char *text)
{
	char *clean = utf8_clean(text, "");

	for (const char *at = clean; *at; at++) {
		if (!w->r->is_html || !strchr("&<>\"", *at))
			putc(*at, w->out);
		else
			fprintf(w->out, "&#%d;", *at);
	}
	free(clean);
}

/* "0x401767D0: read_line (input.c:34)": the function with the line that the code is of. */
static void write_place_name(struct report_writer *w, uint32_t node)
{
	const struct profile *p = w->s->filter->profile;
	struct symbols_place place = { .name = "", .file = "" };
	const struct symbols_level *level;
	uint32_t location, count;
	char *text = NULL;
	size_t length;
	FILE *memory;

	if (node == NOBODY) {
		fputs("0xFFFFFFFF: ???", w->out);
		return;
	}
	location = w->t->node[node].location;
	level = profile_levels(p, location, &count);
	place.address = p->location[location].pc - 1;
	place.object = profile_object(p, location);
	if (count) {
		place.name = symbols_text(&p->symbols, level[count - 1].name);
		place.file = symbols_text(&p->symbols, level[0].file);
		place.base = level[0].base;
		place.line = level[0].line;
	}
	memory = xopen_memstream(&text, &length);
	symbols_put_massif(memory, &place, NULL, 0);
	xclose_memstream(memory);
	write_escaped_text(w, text);
	free(text);
}

/* ---- entries ----------------------------------------------------------------------------- */

static int compare_by_space(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->space != y->space)
		return x->space > y->space ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Collects the children of a node and an empty one for stacks that end at it. Returns how many;
 * CHILD has room for all. */
static uint32_t collect_children(const struct report_writer *w, uint32_t node, struct child *child)
{
	const struct tree_node *n = &w->t->node[node];
	int64_t rest = n->bytes;
	uint32_t count = 0;

	for (uint32_t i = node + 1; i < node + n->size; i += w->t->node[i].size) {
		child[count++] = (struct child){ i, w->t->node[i].bytes };
		rest -= w->t->node[i].bytes;
	}
	if (rest > 0)
		child[count++] = (struct child){ NOBODY, rest };
	qsort(child, count, sizeof(*child), compare_by_space);
	return count;
}

/* NULL: it is exact, or not known, as of what NOBODY called. */
static const struct sampled_error *error_of_node(const struct report_writer *w, uint32_t node)
{
	return w->t->error && node != NOBODY ? &w->t->error[node] : NULL;
}

static bool is_significant(const struct report_writer *w, int64_t space)
{
	return (double)space >= w->s->total * SIGNIFICANT;
}

/* Callers of a context at the limit of depth are not known. */
static bool has_report_entry(const struct report_writer *w, uint32_t node)
{
	return node != NOBODY && w->t->node[node].depth < w->depth &&
	       is_significant(w, w->t->node[node].bytes) && w->t->node[node].bytes > 0;
}

static void write_caller_line(struct report_writer *w, const struct child *c)
{
	char text[SPACETIME_PERCENT];
	const char *percent = spacetime_percent(w->s, (double)c->space,
						error_of_node(w, c->node), text);

	if (!w->r->is_html) {
		fprintf(w->out, "  %6s: ", percent);
	} else if (has_report_entry(w, c->node)) {
		fprintf(w->out, "<li><a name=\"a%" PRIu32 "\"></a><a href=\"#b%" PRIu32
			"\">%s</a>: ", c->node, c->node, percent);
	} else {
		fprintf(w->out, "<li>%s: ", percent);
	}
	write_place_name(w, c->node);
	fputs(w->r->is_html ? "\n" : "\n\n", w->out);
}

static void write_caller_lines(struct report_writer *w, uint32_t node)
{
	const struct tree_node *n = &w->t->node[node];
	struct child *child = xcalloc((size_t)n->children + 2, sizeof(*child));
	uint32_t count, shown = 0;

	count = collect_children(w, node, child);
	fputs(w->r->is_html ? "<p>Called from:\n<ul>\n" : "\nCalled from:\n", w->out);
	while (shown < count && is_significant(w, child[shown].space))
		write_caller_line(w, &child[shown++]);
	if (shown < count)
		fprintf(w->out, "%s%s%" PRIu32 " %sinsignificant place%s%s",
			w->r->is_html ? "<li>" : "  ", shown ? "and " : "", count - shown,
			shown ? "other " : "", count - shown == 1 ? "" : "s",
			w->r->is_html ? "\n" : "\n\n");
	if (w->r->is_html)
		fputs("</ul>\n", w->out);
	free(child);
}

/* The frames of a context, innermost first. */
static void write_context_line(struct report_writer *w, uint32_t node)
{
	uint32_t path[TREE_DEPTH_MAX];
	uint32_t length = 0;

	for (; node; node = w->parent[node])
		path[length++] = node;
	while (length > 0) {
		fputs("  ", w->out);
		write_place_name(w, path[--length]);
		fputs(w->r->is_html ? "<br>\n" : "\n", w->out);
	}
}

static void write_node_entry(struct report_writer *w, uint32_t node)
{
	char text[SPACETIME_PERCENT];
	const char *percent = spacetime_percent(w->s, (double)w->t->node[node].bytes,
						error_of_node(w, node), text);

	if (node == 0)
		fprintf(w->out, "Heap allocation functions accounted for %s of measured "
			"spacetime%s\n", percent, w->r->is_html ? "<br>" : "");
	else if (w->r->is_html)
		fprintf(w->out, "<a name=\"b%" PRIu32 "\"></a>Context accounted for "
			"<a href=\"#a%" PRIu32 "\">%s</a> of measured spacetime<br>\n", node, node,
			percent);
	else
		fprintf(w->out, "Context accounted for %s of measured spacetime\n", percent);
	write_context_line(w, node);
	write_caller_lines(w, node);
}

/* All entries of a level. Returns whether there were any. */
static bool write_tree_level(struct report_writer *w, unsigned int level)
{
	bool is_first = true;

	for (uint32_t i = 0; i < w->t->count; i++) {
		if (w->t->node[i].depth != level || !has_report_entry(w, i))
			continue;
		if (is_first)
			fprintf(w->out, "%s== %u ===========================%s\n",
				w->r->is_html ? "<hr>\n" : "", level,
				w->r->is_html ? "<br>" : "");
		else
			fputs(w->r->is_html ? "<hr>\n" :
					      "---------------------------------\n", w->out);
		write_node_entry(w, i);
		is_first = false;
	}
	return !is_first;
}

static void write_tree_levels(struct report_writer *w)
{
	unsigned int level = 0;

	if (w->t->node[0].bytes <= 0) {
		fputs(w->r->is_html ? "<p>(No heap memory allocated)\n" :
				      "(No heap memory allocated)\n", w->out);
		return;
	}
	while (write_tree_level(w, level))
		level++;
}

static void write_whole_report(struct report_writer *w)
{
	if (w->r->is_html) {
		fputs("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "style-src 'unsafe-inline'\">\n<title>", w->out);
		write_escaped_text(w, w->r->title);
		fputs("</title>\n<style>body { font-family: monospace; max-width: 60em; "
		      "margin: 2em auto; padding: 0 1em } li { margin: .3em 0 }</style></head>\n"
		      "<body>\n", w->out);
	}
	fputs("Command: ", w->out);
	write_escaped_text(w, w->r->command);
	fputs(w->r->is_html ? "<br>\n" : "\n\n", w->out);
	write_tree_levels(w);
	fputs(w->r->is_html ? "<hr>\n<p>" : "=================================\n\n", w->out);
	fputs("End of information.  Rerun with a bigger --depth value for more.\n", w->out);
	if (w->r->is_html)
		fputs("</body></html>\n", w->out);
}

/* Nodes stand in preorder: the parent is the last one of the depth above. */
static void find_parent_nodes(struct report_writer *w)
{
	uint32_t last[TREE_DEPTH_MAX + 1] = { 0 };

	for (uint32_t i = 1; i < w->t->count; i++) {
		uint32_t depth = w->t->node[i].depth;

		w->parent[i] = last[depth - 1];
		last[depth] = i;
	}
}

void spacetime_put_report(FILE *out, const struct spacetime *s, const struct spacetime_report *r)
{
	struct report_writer w = { .out = out, .s = s, .r = r,
			    .depth = r->depth ? r->depth : SPACETIME_DEPTH };
	const struct tree_options o = { .grouping = TREE_BY_ADDRESS, .depth = w.depth };
	struct call_tree t;

	tree_build(&t, s->filter, s->weight, &o);
	w.t = &t;
	w.parent = xcalloc((size_t)t.count + 1, sizeof(*w.parent));
	find_parent_nodes(&w);
	write_whole_report(&w);
	free(w.parent);
	tree_free(&t);
}
