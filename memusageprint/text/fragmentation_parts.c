/* fragmentation_parts.c -- Paragraphs of the report on fragmentation.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/fragmentation_parts.h"

#include <inttypes.h>

#include "cli/layout.h"
#include "cli/units.h"
#include "memusageprint/text/metric_text.h"
#include "profile/model/page_advice.h"

enum {
	TOPS = 4,		/* heaps in a report, at most */
	TOP_LEAST = 256 << 10,	/* bytes that a top must hold to be named */
	PAIRS = 5,
	PAIR_LEAST = 50,	/* one part in so many of held pages */
	LIFETIMES = 10		/* times as long as the other */
};

void fragmentation_put_place(FILE *out, const struct fragmentation *f, uint32_t number)
{
	if (number >= f->numbers || !f->entry[number])
		fputs("[others]", out);
	else
		toplist_put_name(out, f->list, &f->top.entry[f->entry[number] - 1]);
}

/* ---- resident memory ------------------------------------------------------------------------ */

static void put_part(FILE *out, uint64_t bytes, uint64_t all, const char *text)
{
	char number[UNITS_LENGTH];

	fprintf(out, "%11s " LAYOUT_STRONG "%5.1f%%" LAYOUT_PLAIN "  " LAYOUT_TEXT "%s\n",
		units_bytes(number, bytes),
		metric_text_percent((int64_t)bytes, (int64_t)all), text);
}

void fragmentation_put_resident(FILE *out, const struct mu_pages *h)
{
	char a[UNITS_LENGTH], b[UNITS_LENGTH];
	uint64_t all = 0;

	for (unsigned int i = 0; i < MU_PAGES_PARTS; i++)
		all += h->part[i];
	fprintf(out, "\n" LAYOUT_TITLE "%11s %6s  " LAYOUT_TEXT "resident memory\n", "bytes", "%");
	for (unsigned int i = 0; i < MU_PAGES_PARTS; i++)
		put_part(out, h->part[i], all, page_part_text((enum mu_pages_part)i));
	fprintf(out, "%11s %6s  " LAYOUT_TEXT "in all; the kernel counts %s\n",
		units_bytes(a, all), "", units_bytes(b, h->kernel_rss));
	if (h->swapped > 0)
		fprintf(out, "%11s %6s  " LAYOUT_TEXT "of the heap are swapped out, besides\n",
			units_bytes(a, h->swapped), "");
}

/* ---- tops ----------------------------------------------------------------------------------- */

static uint32_t place_of_site(const struct fragmentation *f, uint32_t site)
{
	return site < f->sites ? f->number[site] : PAGE_PLACES_OTHER;
}

/* "The last 3 blocks of [heap] are from PLACE: without them 14.0 MiB more could go back." */
static void put_top(FILE *out, const struct fragmentation *f, const struct mu_heap_part *heap)
{
	const char *what = heap->kind == MU_HEAP_MAIN ? "[heap]" : "the arena";
	char bytes[UNITS_LENGTH], blocks[UNITS_LENGTH];

	fputs(LAYOUT_TEXT, out);
	if (heap->top_blocks == 1)
		fprintf(out, "The last block of %s", what);
	else
		fprintf(out, "The last %s blocks of %s", units_grouped(blocks, heap->top_blocks),
			what);
	if (heap->kind != MU_HEAP_MAIN)
		fprintf(out, " at 0x%" PRIx64, heap->start);
	fprintf(out, " %s from ", heap->top_blocks == 1 ? "is" : "are");
	fragmentation_put_place(out, f, place_of_site(f, heap->top_site));
	fprintf(out, " (%s at 0x%" PRIx64 "): without %s, %s more could go back.\n",
		units_bytes(blocks, heap->top_size), heap->top,
		heap->top_blocks == 1 ? "it" : "them", units_bytes(bytes, heap->held));
}

/* Returns the heap of which less is held than of *LAST, and more than of all others. */
static const struct mu_heap_part *next_top(const struct pages *p, const struct mu_heap_part *last)
{
	const struct mu_heap_part *next = NULL;

	for (const struct mu_heap_part *h = p->heap; h < p->heap + p->head->heaps; h++) {
		bool is_later = !last || h->held < last->held ||
				(h->held == last->held && h > last);

		if (h->top && is_later && (!next || h->held > next->held))
			next = h;
	}
	return next;
}

void fragmentation_put_tops(FILE *out, const struct fragmentation *f)
{
	const struct mu_heap_part *heap = next_top(f->pages, NULL);

	for (int i = 0; i < TOPS && heap && heap->held >= TOP_LEAST; i++) {
		if (i == 0)
			putc('\n', out);
		put_top(out, f, heap);
		heap = next_top(f->pages, heap);
	}
}

/* ---- places that share pages ---------------------------------------------------------------- */

static uint64_t mean_lifetime_ns(const struct fragmentation *f, uint32_t place)
{
	const uint32_t number = f->places.place[place].place;
	const struct top_entry *e;
	double ns;

	if (number >= f->numbers || !f->entry[number])
		return 0;
	e = &f->top.entry[f->entry[number] - 1];
	ns = e->lives > 0 && e->life > 0 ? (double)e->life / (double)e->lives * SITES_TICK_NS : 0;
	return ns < 1e18 ? (uint64_t)ns : UINT64_C(1000000000000000000);
}

static void put_pair(FILE *out, const struct fragmentation *f, const struct page_pair *pair)
{
	const uint64_t a = mean_lifetime_ns(f, pair->a), b = mean_lifetime_ns(f, pair->b);
	const uint32_t first = a < b ? pair->a : pair->b, second = a < b ? pair->b : pair->a;
	char pages[UNITS_LENGTH], x[UNITS_LENGTH], y[UNITS_LENGTH];

	fprintf(out, "%11s  " LAYOUT_TEXT, units_grouped(pages, pair->pages));
	fragmentation_put_place(out, f, f->places.place[first].place);
	fprintf(out, " (%s) with ", units_time(x, a < b ? a : b));
	fragmentation_put_place(out, f, f->places.place[second].place);
	fprintf(out, " (%s)\n", units_time(y, a < b ? b : a));
}

void fragmentation_put_pairs(FILE *out, const struct fragmentation *f)
{
	uint64_t held = 0;
	int shown = 0;

	for (unsigned int i = 0; i < MU_PAGES_FILLS; i++)
		held += f->pages->head->fill[i];
	for (uint32_t i = 0; i < f->places.pairs && shown < PAIRS; i++) {
		const struct page_pair *pair = &f->places.pair[i];
		uint64_t a = mean_lifetime_ns(f, pair->a), b = mean_lifetime_ns(f, pair->b);

		if (pair->pages < held / PAIR_LEAST ||
		    (a / LIFETIMES < b && b / LIFETIMES < a))
			continue;
		if (shown++ == 0)
			fprintf(out, "\n" LAYOUT_TITLE "%11s  " LAYOUT_TEXT
				     "short-lived and long-lived blocks in the same pages\n",
				"pages");
		put_pair(out, f, pair);
	}
}

/* ---- advice --------------------------------------------------------------------------------- */

/* "up to 39.1 MiB: " and what to do about them. */
static void put_one_advice(FILE *out, const struct fragmentation *f, const struct page_advice *a)
{
	const char *after, *before = page_advice_text(a->kind, &after);
	char text[UNITS_LENGTH];

	fprintf(out, "%11s  " LAYOUT_TEXT "%s", units_bytes(text, a->bytes), before);
	if (a->kind == PAGE_ADVICE_POOL)
		fragmentation_put_place(out, f, f->places.place[a->place].place);
	fprintf(out, "%s\n", after);
}

void fragmentation_put_advice(FILE *out, const struct fragmentation *f)
{
	struct page_advice advice[PAGE_ADVICE_KINDS];
	unsigned int count = page_advice_find(advice, f->pages, &f->places, f->large_freed);

	if (count == 0)
		return;
	fprintf(out, "\n" LAYOUT_TITLE "%11s  " LAYOUT_TEXT
		     "what may make the heap smaller (gains overlap)\n", "about");
	for (unsigned int i = 0; i < count; i++)
		put_one_advice(out, f, &advice[i]);
}
