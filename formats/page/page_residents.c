/* page_residents.c -- What keeps the heap resident, for a page: the member "fragmentation".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_residents.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "formats/page/page_groupings.h"
#include "formats/page/page_holders.h"
#include "profile/model/page_advice.h"

enum { PLACES = 100, TOPS = 16, PAIRS = 20 };

/* One grouping of the places. */
struct grouped_pages {
	struct page_json *j;
	const struct pages *pages;
	const struct page_cut *cut;
	const struct sites *sites;
	struct triples keys;
	uint32_t *number;	/* per site */
	uint32_t *node;		/* per number: of the page, of the site with most live bytes */
	uint64_t *life, *lives;	/* per number: of blocks, in units of sites */
	struct page_places places;
};

/* ---- groups ----------------------------------------------------------------------------- */

static void number_sites(struct grouped_pages *g, const struct page_stacks *s,
			 const uint32_t *holder, enum page_grouping grouping)
{
	for (uint32_t i = 0; i < g->sites->count; i++) {
		const uint32_t place = holder[s->node[i]];

		g->number[i] = place && s->standing[i] != PAGE_NOT_COUNTED ?
			page_grouping_key(&g->keys, &s->tree, grouping, place) : PAGE_PLACES_OTHER;
	}
}

static void find_nodes(struct grouped_pages *g)
{
	uint64_t *most = xcalloc((size_t)g->keys.count + 1, sizeof(*most));

	g->node = xcalloc((size_t)g->keys.count + 1, sizeof(*g->node));
	g->life = xcalloc((size_t)g->keys.count + 1, sizeof(*g->life));
	g->lives = xcalloc((size_t)g->keys.count + 1, sizeof(*g->lives));
	for (uint32_t i = 0; i < g->pages->head->sites; i++) {
		const struct mu_page_site *p = &g->pages->site[i];
		const uint32_t number = p->site < g->sites->count ? g->number[p->site] :
								    PAGE_PLACES_OTHER;

		if (number == PAGE_PLACES_OTHER || p->resident + 1 < most[number])
			continue;
		most[number] = p->resident + 1;
		g->node[number] = g->cut->of_site[p->site];
	}
	for (uint32_t i = 0; i < g->sites->count; i++) {
		const struct site *s = &g->sites->site[i];

		if (g->number[i] == PAGE_PLACES_OTHER || s->life < 0)
			continue;
		g->life[g->number[i]] += (uint64_t)s->life;
		g->lives[g->number[i]] += s->total_blocks;
	}
	free(most);
}

static void free_groups(struct grouped_pages *g)
{
	page_places_free(&g->places);
	triples_free(&g->keys);
	free(g->node);
	free(g->life);
	free(g->lives);
}

/* ---- members ---------------------------------------------------------------------------- */

static uint32_t node_of_place(const struct grouped_pages *g, uint32_t index)
{
	const uint32_t number = g->places.place[index].place;

	return number == PAGE_PLACES_OTHER ? 0 : g->node[number];
}

static double mean_lifetime_ns(const struct grouped_pages *g, uint32_t index)
{
	const uint32_t number = g->places.place[index].place;

	if (number == PAGE_PLACES_OTHER || g->lives[number] == 0)
		return 0;
	return (double)g->life[number] / (double)g->lives[number] * SITES_TICK_NS;
}

static void put_place(struct page_json *j, const struct resident_place *l, uint32_t node)
{
	page_json_open(j, NULL, '{');
	page_json_uint(j, "node", node);
	page_json_uint(j, "blocks", l->blocks);
	page_json_uint(j, "slack", l->share);
	page_json_uint(j, "pinned", l->pinned);
	page_json_uint(j, "live", l->resident);
	page_json_uint(j, "untouched", l->untouched);
	page_json_uint(j, "swapped", l->swapped);
	page_json_uint(j, "huge", l->huge);
	page_json_uint(j, "pages", l->pages);
	page_json_uint(j, "alone", l->alone);
	page_json_close(j, '}');
}

/* The last one stands for those that are left out. */
static void put_places(const struct grouped_pages *g, enum page_grouping grouping)
{
	struct resident_place rest = { .place = PAGE_PLACES_OTHER };

	page_json_open(g->j, page_grouping_name(grouping), '[');
	for (uint32_t i = 0; i < g->places.count; i++) {
		const struct resident_place *l = &g->places.place[i];

		if (i < PLACES) {
			put_place(g->j, l, node_of_place(g, i));
			continue;
		}
		rest.blocks += l->blocks;
		rest.share += l->share;
		rest.pinned += l->pinned;
		rest.resident += l->resident;
		rest.untouched += l->untouched;
		rest.swapped += l->swapped;
		rest.huge += l->huge;
	}
	if (g->places.count > PLACES)
		put_place(g->j, &rest, 0);
	page_json_close(g->j, ']');
}

static void put_pairs(const struct grouped_pages *g)
{
	page_json_open(g->j, "pairs", '[');
	for (uint32_t i = 0; i < g->places.pairs && i < PAIRS; i++) {
		const struct page_pair *pair = &g->places.pair[i];

		page_json_open(g->j, NULL, '{');
		page_json_uint(g->j, "pages", pair->pages);
		page_json_uint(g->j, "a", node_of_place(g, pair->a));
		page_json_real(g->j, "a_ns", mean_lifetime_ns(g, pair->a));
		page_json_uint(g->j, "b", node_of_place(g, pair->b));
		page_json_real(g->j, "b_ns", mean_lifetime_ns(g, pair->b));
		page_json_close(g->j, '}');
	}
	page_json_close(g->j, ']');
}

static void put_advice(const struct grouped_pages *g)
{
	struct page_advice advice[PAGE_ADVICE_KINDS];
	const unsigned int count = page_advice_find(advice, g->pages, &g->places,
						    page_advice_large_freed(g->sites));

	page_json_open(g->j, "advice", '[');
	for (unsigned int i = 0; i < count; i++) {
		const char *after, *before = page_advice_text(advice[i].kind, &after);

		page_json_open(g->j, NULL, '{');
		page_json_uint(g->j, "bytes", advice[i].bytes);
		page_json_text(g->j, "text", before);
		if (advice[i].kind == PAGE_ADVICE_POOL) {
			page_json_uint(g->j, "node", node_of_place(g, advice[i].place));
			page_json_text(g->j, "after", after);
		}
		page_json_close(g->j, '}');
	}
	page_json_close(g->j, ']');
}

static void put_tops(struct page_json *j, const struct pages *p, const struct page_cut *c,
		     uint32_t sites)
{
	uint32_t left = TOPS;

	page_json_open(j, "tops", '[');
	for (uint32_t i = 0; i < p->head->heaps && left > 0; i++) {
		const struct mu_heap_part *heap = &p->heap[i];

		if (!heap->top)
			continue;
		left--;
		page_json_open(j, NULL, '{');
		page_json_bool(j, "is_main", heap->kind == MU_HEAP_MAIN);
		page_json_uint(j, "node", heap->top_site < sites ? c->of_site[heap->top_site] : 0);
		page_json_uint(j, "blocks", heap->top_blocks);
		page_json_uint(j, "held", heap->held);
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
}

static void put_figures(struct page_json *j, const struct mu_pages *h, uint64_t start_ns)
{
	page_json_uint(j, "t", h->mono_ns > start_ns ? h->mono_ns - start_ns : 0);
	page_json_uint(j, "pause", h->pause_ns);
	page_json_bool(j, "at_end", h->flags & MU_PAGES_AT_END);
	page_json_bool(j, "is_merged", h->flags & MU_PAGES_MERGED);
	page_json_bool(j, "is_incomplete", h->flags & MU_PAGES_CUT);
	page_json_uint(j, "kernel_rss", h->kernel_rss);
	page_json_uint(j, "swapped", h->swapped);
	page_json_open(j, "parts", '[');
	for (int i = 0; i < MU_PAGES_PARTS; i++) {
		page_json_open(j, NULL, '{');
		page_json_uint(j, "bytes", h->part[i]);
		page_json_text(j, "text", page_part_text((enum mu_pages_part)i));
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
	page_json_open(j, "fill", '[');
	for (int i = 0; i < MU_PAGES_FILLS; i++)
		page_json_uint(j, NULL, h->fill[i]);
	page_json_close(j, ']');
}

/* ---- all together ----------------------------------------------------------------------- */

static void put_groupings(struct page_json *j, const struct pages *p, const struct export *e,
			  const struct page_stacks *s, const struct page_cut *c)
{
	const struct page_cut whole = { .node = s->tree.node, .count = s->tree.node_count };
	const struct sites *sites = &e->filter->profile->sites;
	uint32_t *holder = page_holders_places(&s->tree, &whole);
	uint32_t *number = xcalloc((size_t)sites->count + 1, sizeof(*number));

	for (int i = PAGE_GROUPINGS; i-- > 0;) {
		struct grouped_pages g = { .j = j, .pages = p, .cut = c, .sites = sites,
					   .number = number };

		number_sites(&g, s, holder, (enum page_grouping)i);
		find_nodes(&g);
		page_places_build(&g.places, p, number, sites->count, g.keys.count);
		put_places(&g, (enum page_grouping)i);
		if (i == PAGE_BY_FUNCTION) {
			put_pairs(&g);
			put_advice(&g);
		}
		free_groups(&g);
	}
	free(number);
	free(holder);
}

void page_residents_put(struct page_json *j, const struct export *e, const struct page_stacks *s,
			const struct page_cut *c)
{
	struct pages p;

	if (pages_load(&p, e->image)) {
		page_json_open(j, "fragmentation", '{');
		put_figures(j, p.head, e->image->head.process.start_mono_ns);
		put_tops(j, &p, c, e->filter->profile->sites.count);
		put_groupings(j, &p, e, s, c);
		page_json_close(j, '}');
	}
	pages_free(&p);
}
