/* site_graph.c -- What holds what, by place, as a graph: for graphviz, and as JSON.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/holders/site_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/json_text.h"
#include "formats/base/stacklist.h"
#include "formats/base/triples.h"
#include "formats/base/utf8.h"
#include "formats/holders/root_text.h"
#include "profile/base/array.h"
#include "profile/model/holder_places.h"
#include "profile/model/position.h"
#include "profile/model/shortname.h"
#include "profile/model/top.h"

enum { NAME_BYTES = 200 };

/* A graph that is being made. */
struct graph_builder {
	struct site_graph *g;
	const struct filter *f;
	uint32_t pid;
	uint32_t *number;	/* per site: of its place */
	struct triples keys;	/* of vertices: kind; root or place; type */
	struct triples pairs;	/* of links */
	uint32_t vertex_room, link_room;
};

/* ---- names ------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *base = strrchr(path, '/');

	return base ? base + 1 : path;
}

/* "fill (cache.c:12)" */
static char *text_of_place(const struct filter *f, uint32_t site)
{
	const struct profile *p = f->profile;
	const struct filtered stack = filter_stack(f, p->sites.site[site].stack);
	const struct position at = position_innermost(&stack);
	struct stackitem item;
	char name[NAME_BYTES], object[256];

	if (!at.left)
		return xstrdup("[unknown]");
	item = (struct stackitem){ p->frame[at.frame].location, position_level(p, &at) };
	shortname(stacklist_name(p, &item, object), name, sizeof(name));
	if (!item.level || !item.level->file)
		return xstrdup(name);
	return xasprintf("%s (%s:%" PRIu32 ")", name,
			 base_name(symbols_text(&p->symbols, item.level->file)), item.level->line);
}

static uint32_t last_moment(const struct graph_builder *b)
{
	return b->g->moments.count - 1;
}

static char *text_of_vertex(const struct graph_builder *b, uint32_t kind, uint32_t what)
{
	const struct root_words words = { b->g->h, &b->g->names, last_moment(b), b->pid,
					  &b->g->groups };

	if (kind == MU_HOLDER_ROOT)
		return root_text(&words, what);
	return what < b->g->names.sites && b->number[what] != UINT32_MAX ?
		       text_of_place(b->f, what) : xstrdup("[others]");
}

/* ---- vertices and links ------------------------------------------------------------------ */

static uint32_t place_of_site(const struct graph_builder *b, uint32_t site)
{
	return site < b->g->names.sites ? b->number[site] : HOLDER_PLACES_OTHER;
}

/* Returns the vertex of a root, or of the place of a site. */
static uint32_t add_vertex(struct graph_builder *b, uint32_t kind, uint32_t what)
{
	struct site_graph *g = b->g;
	const bool is_site = kind == MU_HOLDER_SITE;
	const uint32_t type = is_site && what < g->names.sites ? g->names.type[what] : 0;
	const uint32_t number = triples_add(&b->keys, kind,
					    is_site ? place_of_site(b, what) : what, type);

	if (number < g->count)
		return number;
	array_reserve(&g->vertex, &b->vertex_room, g->count + (size_t)1, sizeof(*g->vertex));
	g->vertex[g->count++] = (struct site_vertex){ .kind = kind, .what = what,
						      .text = text_of_vertex(b, kind, what) };
	return number;
}

/* No node is below another one of the same place, so what they retain adds up. */
static void add_tree(struct graph_builder *b)
{
	const uint32_t count = b->g->h->head->retained;
	struct mu_holder_node *folded = xcalloc((size_t)count + 1, sizeof(*folded));
	struct holder_places l;

	holder_places_build(&l, folded, holder_groups_fold(&b->g->groups, last_moment(b),
							   b->g->h->retained, count, folded),
			    b->number, &b->g->names);
	free(folded);
	b->g->live = l.node[0].all_bytes;
	for (uint32_t i = 1; i < l.count; i++) {
		const struct holder_node *n = &l.node[i];
		struct site_vertex *v;
		uint32_t number;

		if (n->kind != MU_HOLDER_ROOT && n->kind != MU_HOLDER_SITE)
			continue;
		number = add_vertex(b, n->kind, n->kind == MU_HOLDER_SITE ? n->site : n->what);
		v = &b->g->vertex[number];
		v->bytes += n->bytes;
		v->blocks += n->blocks;
		v->retained += n->all_bytes;
	}
	holder_places_free(&l);
}

static int compare_links(const void *a, const void *b)
{
	const struct site_link *x = a, *y = b;

	if (x->pointers != y->pointers)
		return x->pointers > y->pointers ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void add_links(struct graph_builder *b)
{
	struct site_graph *g = b->g;

	for (uint32_t i = 0; i < g->h->head->links; i++) {
		const struct mu_holder_link *l = &g->h->link[i];
		const uint32_t holder = l->kind == MU_HOLDER_SITE ? l->from :
			holder_groups_of_root(&g->groups, last_moment(b), l->from)->first;
		const uint32_t from = add_vertex(b, l->kind, holder);
		const uint32_t to = add_vertex(b, MU_HOLDER_SITE, l->to);
		const uint32_t number = triples_add(&b->pairs, from, to, 0);

		if (number == g->links) {
			array_reserve(&g->link, &b->link_room, g->links + (size_t)1,
				      sizeof(*g->link));
			g->link[g->links++] = (struct site_link){ .from = from, .to = to };
		}
		g->link[number].pointers += l->pointers;
	}
	if (g->links > 0)
		qsort(g->link, g->links, sizeof(*g->link), compare_links);
}

bool site_graph_build(struct site_graph *g, const struct image *im, const struct filter *f,
		      uint32_t pid)
{
	struct graph_builder b = { .g = g, .f = f, .pid = pid };
	const uint32_t sites = f->profile->sites.count;

	*g = (struct site_graph){ .count = 0 };
	holder_moments_read(&g->moments, im);
	if (g->moments.count == 0)
		return false;
	g->h = &g->moments.at[g->moments.count - 1];
	holder_names_init(&g->names, g->moments.at, g->moments.count, f->profile);
	holder_groups_find(&g->groups, g->moments.at, g->moments.count, &g->names);
	b.number = xcalloc((size_t)sites + 1, sizeof(*b.number));
	top_group_sites(b.number, f, TOP_BY_LINE);
	add_tree(&b);
	add_links(&b);
	triples_free(&b.keys);
	triples_free(&b.pairs);
	free(b.number);
	return true;
}

void site_graph_free(struct site_graph *g)
{
	for (uint32_t i = 0; i < g->count; i++)
		free(g->vertex[i].text);
	free(g->vertex);
	free(g->link);
	holder_groups_free(&g->groups);
	holder_names_free(&g->names);
	holder_moments_free(&g->moments);
	*g = (struct site_graph){ .count = 0 };
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void write_json_vertex(FILE *out, const struct site_graph *g, const struct site_vertex *v)
{
	const char *type = v->kind == MU_HOLDER_SITE ? holder_names_type(&g->names, v->what) : "";

	fprintf(out, "{\"kind\":\"%s\",", v->kind == MU_HOLDER_ROOT ? "root" : "place");
	json_put_field(out, "name", v->text);
	if (*type)
		json_put_field(out, "type", type);
	fprintf(out, "\"bytes\":%" PRIu64 ",\"blocks\":%" PRIu64 ",\"retained\":%" PRIu64 "}",
		v->bytes, v->blocks, v->retained);
}

void site_graph_write_json(FILE *out, const struct site_graph *g, const struct image *im,
			   const char *version, uint32_t pid, const char *command)
{
	const struct mu_holders *h = g->h->head;
	const uint64_t start = im->head.process.start_mono_ns;

	fputs("{\"format\":\"memusage-graph\",\"version\":1,", out);
	json_put_field(out, "creator", version);
	fprintf(out, "\"pid\":%" PRIu32 ",", pid);
	json_put_field(out, "command", command);
	fprintf(out, "\"time_ns\":%" PRIu64 ",\"at_end\":%s,\"is_incomplete\":%s,\"is_cut\":%s,"
		     "\"live_bytes\":%" PRIu64 ",\n\"nodes\":[",
		h->mono_ns > start ? h->mono_ns - start : 0,
		h->flags & MU_HOLDERS_AT_END ? "true" : "false",
		h->flags & MU_HOLDERS_CUT ? "true" : "false",
		h->flags & MU_HOLDERS_LINKS_CUT ? "true" : "false", g->live);
	for (uint32_t i = 0; i < g->count; i++) {
		fputs(i ? ",\n " : "\n ", out);
		write_json_vertex(out, g, &g->vertex[i]);
	}
	fputs("],\n\"links\":[", out);
	for (uint32_t i = 0; i < g->links; i++)
		fprintf(out, "%s{\"from\":%" PRIu32 ",\"to\":%" PRIu32 ",\"pointers\":%" PRIu64 "}",
			i ? ",\n " : "\n ", g->link[i].from, g->link[i].to, g->link[i].pointers);
	fputs("]}\n", out);
}

/* ---- graphviz --------------------------------------------------------------------------- */

/* Backslashes begin escapes of labels. */
static void put_label(FILE *out, const char *text)
{
	char *clean = utf8_clean(text, "");

	for (const char *c = clean; *c; c++) {
		if (*c == '"' || *c == '\\')
			putc('\\', out);
		putc(*c, out);
	}
	free(clean);
}

static void write_dot_vertex(FILE *out, const struct site_graph *g, uint32_t number)
{
	const struct site_vertex *v = &g->vertex[number];
	const char *type = v->kind == MU_HOLDER_SITE ? holder_names_type(&g->names, v->what) : "";
	char text[UNITS_LENGTH];

	fprintf(out, "\tn%" PRIu32 " [label=\"", number);
	if (v->blocks > 1)
		fprintf(out, "%s x ", units_grouped(text, v->blocks));
	if (*type) {
		put_label(out, type);
		fputs("\\n", out);
	}
	put_label(out, v->text);
	if (v->bytes > 0)
		fprintf(out, "\\n%s", units_bytes(text, v->bytes));
	fprintf(out, "\\nretained: %s\"%s];\n", units_bytes(text, v->retained),
		v->kind == MU_HOLDER_ROOT ? ", shape=ellipse, style=bold" : "");
}

void site_graph_write_dot(FILE *out, const struct site_graph *g, double threshold)
{
	const double least = threshold / 100 * (double)g->live;
	uint32_t left_out = 0;

	fputs("digraph memusage {\n\trankdir=LR;\n\tnode [shape=box, fontname=\"sans-serif\"];\n"
	      "\tedge [fontname=\"sans-serif\"];\n", out);
	for (uint32_t i = 0; i < g->count; i++) {
		if ((double)g->vertex[i].retained >= least)
			write_dot_vertex(out, g, i);
		else
			left_out++;
	}
	for (uint32_t i = 0; i < g->links; i++) {
		const struct site_link *l = &g->link[i];
		char text[UNITS_LENGTH];

		if ((double)g->vertex[l->from].retained >= least &&
		    (double)g->vertex[l->to].retained >= least)
			fprintf(out, "\tn%" PRIu32 " -> n%" PRIu32 " [label=\"%s\"];\n", l->from,
				l->to, units_grouped(text, l->pointers));
	}
	if (left_out > 0)
		fprintf(out, "\t/* %" PRIu32 " places and roots retain less than %g %% */\n",
			left_out, threshold);
	fputs("}\n", out);
}
