/* fragmentation.c -- What keeps the heap resident, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/fragmentation.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/layout.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusageprint/job/not_examined.h"
#include "memusageprint/text/fragmentation_parts.h"
#include "memusageprint/text/metric_text.h"
#include "profile/model/page_advice.h"

enum {
	COMPACT_PART = 10,	/* less of the heap that is not live is nothing to report first */
	COMPACT_LEAST = 1 << 20,
	HOLDER_PART = 4		/* of the slack, for a place to be named first */
};

/* ---- preparation ---------------------------------------------------------------------------- */

/* Weighs each site by its live blocks, so that each has a place. */
static void weigh_live_sites(struct weight *weight, const struct pages *p, uint32_t sites)
{
	for (uint32_t i = 0; i < p->head->sites; i++) {
		const struct mu_page_site *s = &p->site[i];
		uint64_t bytes = s->resident + s->untouched + s->swapped;

		if (s->site >= sites)
			continue;
		weight[s->site] = (struct weight){ .bytes = (int64_t)(bytes > 0 ? bytes : 1),
						   .blocks = (int64_t)s->blocks, .is_there = true };
	}
}

static void prepare_places(struct fragmentation *f, struct report_subject *s)
{
	const struct sites *sites = &s->profile.sites;
	struct weight *weight = xcalloc((size_t)sites->count + 1, sizeof(*weight));

	sites_lifetimes(&s->profile.sites, &s->image);
	weigh_live_sites(weight, f->pages, sites->count);
	top_build(&f->top, f->list->filter, weight, f->list->group, TOP_BY_BYTES);
	f->sites = sites->count;
	f->number = xcalloc((size_t)sites->count + 1, sizeof(*f->number));
	f->numbers = top_group_sites(f->number, f->list->filter, f->list->group);
	f->entry = xcalloc((size_t)f->numbers + 1, sizeof(*f->entry));
	for (uint32_t i = 0; i < f->top.count; i++) {
		uint32_t number = f->number[f->top.entry[i].site];

		if (number < f->numbers)
			f->entry[number] = i + 1;
	}
	page_places_build(&f->places, f->pages, f->number, f->sites, f->numbers);
	f->large_freed = page_advice_large_freed(sites);
	free(weight);
}

static void free_places(struct fragmentation *f)
{
	page_places_free(&f->places);
	top_free(&f->top);
	free(f->entry);
	free(f->number);
}

/* ---- the first line ------------------------------------------------------------------------- */

static void put_holder(FILE *out, const struct fragmentation *f, uint64_t resident)
{
	const struct resident_place *most = &f->places.place[0];
	char slack[UNITS_LENGTH], live[UNITS_LENGTH], heap[UNITS_LENGTH];

	fragmentation_put_place(out, f, most->place);
	fprintf(out, " keeps %s resident that are not live, with %s of live blocks: " LAYOUT_STRONG
		     "%.1f%%" LAYOUT_PLAIN " of the resident heap of %s\n",
		units_bytes(slack, most->share), units_bytes(live, most->resident),
		metric_text_percent((int64_t)most->share, (int64_t)resident),
		units_bytes(heap, resident));
}

static void put_first_line(FILE *out, const struct fragmentation *f)
{
	const uint64_t *part = f->pages->head->part;
	const uint64_t waste = part[MU_PAGES_SLACK] + part[MU_PAGES_FREE];
	const uint64_t resident = part[MU_PAGES_LIVE] + waste;
	const bool is_free = part[MU_PAGES_FREE] >= part[MU_PAGES_SLACK];
	char a[UNITS_LENGTH], heap[UNITS_LENGTH];

	if (resident == 0) {
		fputs("nothing of the heap is resident\n", out);
	} else if (waste < COMPACT_LEAST || waste < resident / COMPACT_PART) {
		fprintf(out, "the heap is %s: " LAYOUT_STRONG "%.1f%%" LAYOUT_PLAIN
			     " of its resident %s are live\n",
			waste < resident / COMPACT_PART ? "compact" : "small",
			metric_text_percent((int64_t)part[MU_PAGES_LIVE], (int64_t)resident),
			units_bytes(heap, resident));
	} else if (!is_free && f->places.count > 0 &&
		   f->places.place[0].share >= part[MU_PAGES_SLACK] / HOLDER_PART) {
		put_holder(out, f, resident);
	} else {
		fprintf(out, LAYOUT_STRONG "%.1f%%" LAYOUT_PLAIN " of the resident heap of %s are "
			     "%s: %s\n",
			metric_text_percent((int64_t)part[is_free ? MU_PAGES_FREE : MU_PAGES_SLACK],
					    (int64_t)resident),
			units_bytes(heap, resident),
			is_free ? "free pages" : "slack beside live blocks",
			units_bytes(a, part[is_free ? MU_PAGES_FREE : MU_PAGES_SLACK]));
	}
}

/* ---- places --------------------------------------------------------------------------------- */

static void put_amount(FILE *out, const char *before, uint64_t bytes, const char *what)
{
	char text[UNITS_LENGTH];

	if (bytes > 0)
		fprintf(out, "%s%s %s", before, units_bytes(text, bytes), what);
}

/* "in 20,149 pages, in 18,466 of them alone; 1.00 MiB untouched" */
static void put_place_details(FILE *out, const struct fragmentation *f,
			      const struct resident_place *l)
{
	static const char *const node[MU_PAGES_NODES_MAX] = { "on node 0", "on node 1", "on node 2",
							      "on other nodes" };
	char pages[UNITS_LENGTH], alone[UNITS_LENGTH];
	unsigned int nodes = 0;

	fprintf(out, "%42s " LAYOUT_TEXT " in %s page%s", "", units_grouped(pages, l->pages),
		l->pages == 1 ? "" : "s");
	if (l->alone > 0)
		fprintf(out, ", alone in %s", units_grouped(alone, l->alone));
	put_amount(out, "; ", l->untouched, "untouched");
	put_amount(out, "; ", l->swapped, "swapped out");
	put_amount(out, "; ", l->huge, "in huge pages");
	for (unsigned int i = 0; i < MU_PAGES_NODES_MAX; i++)
		nodes += l->node[i] > 0;
	for (unsigned int i = 0; i < MU_PAGES_NODES_MAX && nodes > 1; i++)
		put_amount(out, "; ", l->node[i], node[i]);
	putc('\n', out);
}

static void put_place_figures(FILE *out, const struct resident_place *l, uint64_t slack)
{
	char a[UNITS_LENGTH], b[UNITS_LENGTH], c[UNITS_LENGTH];

	fprintf(out, "%11s " LAYOUT_STRONG "%5.1f%%" LAYOUT_PLAIN " %11s %11s  " LAYOUT_TEXT,
		units_bytes(a, l->share),
		metric_text_percent((int64_t)l->share, (int64_t)slack), units_bytes(b, l->pinned),
		units_bytes(c, l->resident));
}

static void put_rest_of_places(FILE *out, const struct fragmentation *f, uint32_t shown)
{
	struct resident_place rest = { .place = PAGE_PLACES_OTHER };

	for (uint32_t i = shown; i < f->places.count; i++) {
		rest.share += f->places.place[i].share;
		rest.pinned += f->places.place[i].pinned;
		rest.resident += f->places.place[i].resident;
	}
	if (shown == f->places.count)
		return;
	put_place_figures(out, &rest, f->pages->head->part[MU_PAGES_SLACK]);
	fprintf(out, "%" PRIu32 " other place%s\n", f->places.count - shown,
		f->places.count - shown == 1 ? "" : "s");
}

static void put_places(FILE *out, const struct fragmentation *f)
{
	const uint32_t shown = f->list->count < f->places.count ? f->list->count : f->places.count;

	fprintf(out, "\n" LAYOUT_TITLE "%11s %6s %11s %11s  " LAYOUT_TEXT "blocks allocated by\n",
		"slack", "%", "pinned", "live");
	for (uint32_t i = 0; i < shown; i++) {
		const struct resident_place *l = &f->places.place[i];

		put_place_figures(out, l, f->pages->head->part[MU_PAGES_SLACK]);
		fragmentation_put_place(out, f, l->place);
		putc('\n', out);
		put_place_details(out, f, l);
	}
	put_rest_of_places(out, f, shown);
}

static void put_explanation(FILE *out, const struct mu_pages *h)
{
	char pause[UNITS_LENGTH];

	fputs("\nSlack is shared out by live bytes among the places that have blocks in a page; "
	      "pinned is that of" LAYOUT_NEWLINE "pages that a place has for itself, and goes "
	      "back if its blocks go.", out);
	if (h->pause_ns > 0 && !(h->flags & MU_PAGES_AT_END))
		fprintf(out, " The process was stopped for %s.", units_time(pause, h->pause_ns));
	putc('\n', out);
	if (h->flags & MU_PAGES_MERGED)
		fputs("So many places are mixed that what they pin is a lower bound.\n", out);
	if (h->flags & MU_PAGES_CUT)
		fputs("Some blocks could not be read: what they hold counts as free.\n", out);
}

int fragmentation_print(FILE *out, struct report_subject *s, const struct settings *settings)
{
	const struct toplist list = toplist_of_subject(s, METRIC_LIVE, settings);
	struct fragmentation f = { .list = &list };
	struct pages pages;

	if (!pages_load(&pages, &s->image)) {
		not_examined_warn(s, EXAMINED_PAGES);
		return -1;
	}
	f.pages = &pages;
	prepare_places(&f, s);
	putc('\n', out);
	put_first_line(out, &f);
	fragmentation_put_resident(out, pages.head);
	if (f.places.count > 0)
		put_places(out, &f);
	fragmentation_put_tops(out, &f);
	fragmentation_put_pairs(out, &f);
	fragmentation_put_advice(out, &f);
	put_explanation(out, pages.head);
	free_places(&f);
	pages_free(&pages);
	return 0;
}
