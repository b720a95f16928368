/* holders_report.c -- What holds the heap, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/holders_report.h"

#include <stdlib.h>

#include "cli/layout.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusageprint/job/not_examined.h"
#include "memusageprint/text/holders_growth.h"
#include "memusageprint/text/holders_parts.h"
#include "memusageprint/text/metric_text.h"

enum {
	DEPTH = 12,
	VIA_PART = 10, /* of the heap: less that several roots hold needs no second tree */
	LATE_NS = 1000000000
};

/* ---- preparation ------------------------------------------------------------------------ */

/* Weighs each site that has a node, so that each has a place. */
static void weigh_sites(struct weight *weight, const struct holders *h, uint32_t sites)
{
	for (uint32_t i = 0; i < h->head->retained + h->head->via; i++) {
		const struct mu_holder_node *n = &h->retained[i]; /* VIA follows it */

		if (n->kind != MU_HOLDER_SITE || n->what >= sites)
			continue;
		weight[n->what].bytes += (int64_t)(n->bytes > 0 ? n->bytes : 1);
		weight[n->what].blocks += (int64_t)n->blocks;
		weight[n->what].is_there = true;
	}
}

static void number_places(struct holders_report *r, struct report_subject *s)
{
	const uint32_t sites = s->profile.sites.count;
	struct weight *weight = xcalloc((size_t)sites + 1, sizeof(*weight));

	weigh_sites(weight, r->h, sites);
	top_build(&r->top, r->list->filter, weight, r->list->group, TOP_BY_BYTES);
	r->number = xcalloc((size_t)sites + 1, sizeof(*r->number));
	r->numbers = top_group_sites(r->number, r->list->filter, r->list->group);
	r->entry = xcalloc((size_t)r->numbers + 1, sizeof(*r->entry));
	for (uint32_t i = 0; i < r->top.count; i++) {
		const uint32_t number = r->number[r->top.entry[i].site];

		if (number < r->numbers)
			r->entry[number] = i + 1;
	}
	free(weight);
}

static void prepare_report(struct holders_report *r, struct report_subject *s,
			   const struct settings *settings)
{
	const struct mu_holders *head = r->h->head;

	r->threshold = settings->threshold;
	r->depth = settings->has_depth ? settings->depth : DEPTH;
	r->pid = (uint32_t)s->pid;
	holder_names_init(&r->names, r->moments->at, r->moments->count,
			  report_subject_complete(s)->profile);
	number_places(r, s);
	holder_groups_find(&r->groups, r->moments->at, r->moments->count, &r->names);
	holders_build_tree(&r->retained, r, r->moment, r->h->retained, head->retained);
	holders_build_tree(&r->via, r, r->moment, r->h->via, head->via);
}

static void free_report(struct holders_report *r)
{
	holder_places_free(&r->retained);
	holder_places_free(&r->via);
	holder_groups_free(&r->groups);
	holder_names_free(&r->names);
	top_free(&r->top);
	free(r->entry);
	free(r->number);
}

/* ---- paragraphs ------------------------------------------------------------------------- */

static uint64_t bytes_of_kind(const struct holder_places *l, enum mu_holder_node_kind kind)
{
	uint64_t bytes = 0;

	for (uint32_t i = 1; i < l->count; i++) {
		if (l->node[i].parent == 0 && l->node[i].kind == (uint32_t)kind)
			bytes += l->node[i].all_bytes;
	}
	return bytes;
}

static void put_first_line(FILE *out, const struct holders_report *r)
{
	const struct holder_node *heap = &r->retained.node[0];
	uint32_t *child = xcalloc((size_t)r->retained.count + 1, sizeof(*child));
	const uint32_t count = holder_places_children(&r->retained, 0, child);
	const struct holder_node *most = count ? &r->retained.node[child[0]] : NULL;
	char bytes[UNITS_LENGTH], blocks[UNITS_LENGTH];

	if (heap->all_blocks == 0) {
		fputs("no block is live\n", out);
	} else if (!most || most->kind == MU_HOLDER_REST) {
		fputs("nothing holds much alone", out);
	} else {
		fprintf(out, LAYOUT_STRONG "%.1f%%" LAYOUT_PLAIN " of the live heap of %s in %s "
			     "blocks are held by ",
			metric_text_percent((int64_t)most->all_bytes, (int64_t)heap->all_bytes),
			units_bytes(bytes, heap->all_bytes),
			units_grouped(blocks, heap->all_blocks));
		holders_put_node(out, r, most);
		putc('\n', out);
	}
	free(child);
}

/* A recording may be of a later moment than the examination, but for the time that this took. */
static void put_moment(FILE *out, const struct mu_holders *h, const struct mu_image *of)
{
	const uint64_t start = of->process.start_mono_ns, end = of->process.exit_mono_ns;
	char time[UNITS_LENGTH];

	if (h->flags & MU_HOLDERS_AT_END ||
	    (h->flags & MU_HOLDERS_ON_DEMAND && of->end == MU_END_RUNNING &&
	     (end < h->mono_ns || end - h->mono_ns < LATE_NS)))
		return;
	fprintf(out, "The process was examined %s after its start%s.\n",
		units_time(time, h->mono_ns > start ? h->mono_ns - start : 0),
		of->end == MU_END_RUNNING ? "" : ", and not at its end");
}

static void put_explanation(FILE *out, const struct mu_holders *h, const struct mu_image *of)
{
	char pause[UNITS_LENGTH];

	fputs("\nRetained is what nothing would lead to any more without the variable, thread or "
	      "mapping; what" LAYOUT_NEWLINE "several of them hold is listed by all of them "
	      "together. Each block is below one of them once," LAYOUT_NEWLINE "but blocks of a "
	      "place may be retained by another place, too.", out);
	if (h->pause_ns > 0 && !(h->flags & MU_HOLDERS_AT_END))
		fprintf(out, " The process was stopped for %s.", units_time(pause, h->pause_ns));
	putc('\n', out);
	put_moment(out, h, of);
	if (h->flags & MU_HOLDERS_CUT)
		fputs("Some memory could not be read: blocks may seem lost.\n", out);
}

static void put_report(FILE *out, const struct holders_report *r, const struct mu_image *of)
{
	const uint64_t heap = r->retained.node[0].all_bytes;

	putc('\n', out);
	put_first_line(out, r);
	if (heap == 0)
		return;
	holders_put_title(out, "retained", "held by");
	holders_put_tree(out, r, &r->retained);
	if (bytes_of_kind(&r->retained, MU_HOLDER_SET) > heap / VIA_PART) {
		holders_put_title(out, "found", "by the shortest way from");
		holders_put_tree(out, r, &r->via);
	}
	holders_put_title(out, "retained", "by blocks of these places, whatever holds them");
	holders_put_places(out, r);
	holders_put_growth(out, r, of->process.start_mono_ns);
	put_explanation(out, r->h->head, of);
}

int holders_print(FILE *out, struct report_subject *s, const struct settings *settings)
{
	struct toplist list = toplist_of_subject(s, METRIC_LIVE, settings);
	struct holder_moments moments;
	struct holders_report r = { .list = &list, .moments = &moments };

	holder_moments_read(&moments, &s->image);
	if (moments.count == 0) {
		not_examined_warn(s, EXAMINED_HOLDERS);
		holder_moments_free(&moments);
		return -1;
	}
	/* A way through functions is no way through data. */
	if (list.group == TOP_BY_FUNCTION)
		list.group = TOP_BY_LINE;
	r.moment = moments.count - 1;
	r.h = &moments.at[r.moment];
	prepare_report(&r, s, settings);
	put_report(out, &r, &s->image.head);
	free_report(&r);
	holder_moments_free(&moments);
	return 0;
}
