/* page_places.c -- What the places of a report hold of the pages of the heap.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/page_places.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

enum {
	PAIRED_MOST = 32 /* places of a group that get pairs: a page has 256 small blocks */
};

/* A place in a group. */
struct part {
	uint32_t place;
	uint64_t bytes;
};

struct adding {
	struct page_places *list;
	const uint32_t *number; /* of sites */
	uint32_t sites, places; /* the last place is "other" */
	struct part *part;	/* of the group */
	uint32_t parts;
	uint32_t *seen; /* per place: index in part + 1 */
	uint32_t pair_room;
};

static uint32_t place_of(const struct adding *a, uint32_t site)
{
	if (site >= a->sites || a->number[site] >= a->places - 1)
		return a->places - 1;
	return a->number[site];
}

static void add_site(const struct adding *a, const struct mu_page_site *s)
{
	struct resident_place *to = &a->list->place[place_of(a, s->site)];

	to->blocks += s->blocks;
	to->resident += s->resident;
	to->untouched += s->untouched;
	to->swapped += s->swapped;
	to->huge += s->huge;
	for (unsigned int i = 0; i < MU_PAGES_NODES_MAX; i++)
		to->node[i] += s->node[i];
}

static void add_heap(const struct adding *a, const struct mu_heap_part *heap)
{
	if (heap->top)
		a->list->place[place_of(a, heap->top_site)].held += heap->held;
}

/* ---- groups --------------------------------------------------------------------------------- */

static void collect_parts(struct adding *a, const struct pages *p, const struct mu_page_group *g)
{
	a->parts = 0;
	for (uint32_t i = 0; i < g->count; i++) {
		const struct mu_page_use *use = &p->use[g->first + i];
		uint32_t place = place_of(a, use->site), *seen = &a->seen[place];

		if (*seen == 0) {
			a->part[a->parts++] = (struct part){ .place = place };
			*seen = a->parts;
		}
		a->part[*seen - 1].bytes += use->bytes;
	}
	for (uint32_t i = 0; i < a->parts; i++)
		a->seen[a->part[i].place] = 0;
}

/* Gives each place its share of the slack; the first takes what rounding leaves. If all blocks are
 * of no bytes, all are alike. */
static void share_slack(struct adding *a, uint64_t slack)
{
	uint64_t left = slack;
	double bytes = 0;

	for (uint32_t i = 0; i < a->parts; i++)
		bytes += (double)a->part[i].bytes;
	for (uint32_t i = 1; i < a->parts; i++) {
		double portion = bytes > 0 ? (double)a->part[i].bytes / bytes :
					     1.0 / (double)a->parts;
		uint64_t share = (uint64_t)((double)slack * portion);

		share = share > left ? left : share;
		a->list->place[a->part[i].place].share += share;
		left -= share;
	}
	a->list->place[a->part[0].place].share += left;
}

static void append_pairs(struct adding *a, const struct mu_page_group *g)
{
	struct page_places *l = a->list;

	for (uint32_t i = 0; i < a->parts; i++) {
		for (uint32_t k = i + 1; k < a->parts; k++) {
			uint32_t x = a->part[i].place, y = a->part[k].place;

			array_reserve(&l->pair, &a->pair_room, l->pairs + UINT64_C(1),
				      sizeof(*l->pair));
			l->pair[l->pairs++] = (struct page_pair){
				.a = x < y ? x : y, .b = x < y ? y : x,
				.pages = g->pages, .slack = g->slack,
			};
		}
	}
}

static void add_group(struct adding *a, const struct pages *p, const struct mu_page_group *g,
		      bool is_merged)
{
	struct resident_place *only;

	collect_parts(a, p, g);
	share_slack(a, g->slack);
	for (uint32_t i = 0; i < a->parts && !is_merged; i++)
		a->list->place[a->part[i].place].pages += g->pages;
	if (a->parts == 1) {
		only = &a->list->place[a->part[0].place];
		only->alone += g->pages;
		only->sparse += g->sparse;
		only->pinned += g->slack;
	} else if (a->parts <= PAIRED_MOST && !is_merged) {
		append_pairs(a, g);
	} else {
		a->list->pairs_are_cut = true;
	}
}

static uint32_t most_uses(const struct pages *p)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < p->head->groups; i++)
		most = p->group[i].count > most ? p->group[i].count : most;
	return most;
}

static void add_groups(struct adding *a, const struct pages *p)
{
	const bool has_merged = p->head->flags & MU_PAGES_MERGED;

	a->part = xcalloc(most_uses(p), sizeof(*a->part));
	a->seen = xcalloc(a->places, sizeof(*a->seen));
	for (uint32_t i = 0; i < p->head->groups; i++)
		add_group(a, p, &p->group[i], has_merged && i == p->head->groups - 1);
	free(a->part);
	free(a->seen);
}

/* ---- order ---------------------------------------------------------------------------------- */

static int compare_pair_places(const void *x, const void *y)
{
	const struct page_pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->b > q->b) - (p->b < q->b);
}

static int compare_pair_pages(const void *x, const void *y)
{
	const struct page_pair *p = x, *q = y;

	if (p->pages != q->pages)
		return p->pages > q->pages ? -1 : 1;
	return compare_pair_places(x, y);
}

static void add_up_pairs(struct page_places *l)
{
	uint32_t kept = 0;

	if (l->pairs > 0)
		qsort(l->pair, l->pairs, sizeof(*l->pair), compare_pair_places);
	for (uint32_t i = 0; i < l->pairs; i++) {
		struct page_pair *last = kept > 0 ? &l->pair[kept - 1] : NULL;

		if (!last || compare_pair_places(last, &l->pair[i]) != 0) {
			l->pair[kept++] = l->pair[i];
			continue;
		}
		last->pages += l->pair[i].pages;
		last->slack += l->pair[i].slack;
	}
	l->pairs = kept;
}

static int compare_shares(const void *x, const void *y)
{
	const struct resident_place *p = x, *q = y;

	if (p->share != q->share)
		return p->share > q->share ? -1 : 1;
	return (p->place > q->place) - (p->place < q->place);
}

/* Puts the places with live blocks in their order, and gives the pairs their new indexes. */
static void sort_places(struct page_places *l, uint32_t places)
{
	uint32_t *index = xcalloc(places, sizeof(*index));

	for (uint32_t i = 0; i < places; i++) {
		if (l->place[i].blocks == 0 && l->place[i].pages == 0)
			continue;
		l->place[l->count] = l->place[i];
		l->place[l->count++].place = i;
	}
	qsort(l->place, l->count, sizeof(*l->place), compare_shares);
	for (uint32_t i = 0; i < l->count; i++)
		index[l->place[i].place] = i;
	for (uint32_t i = 0; i < l->pairs; i++) {
		l->pair[i].a = index[l->pair[i].a];
		l->pair[i].b = index[l->pair[i].b];
	}
	for (uint32_t i = 0; i < l->count; i++) {
		if (l->place[i].place == places - 1)
			l->place[i].place = PAGE_PLACES_OTHER;
	}
	if (l->pairs > 0)
		qsort(l->pair, l->pairs, sizeof(*l->pair), compare_pair_pages);
	free(index);
}

void page_places_build(struct page_places *l, const struct pages *p, const uint32_t *number,
		       uint32_t sites, uint32_t places)
{
	struct adding a = { .list = l, .number = number, .sites = sites, .places = places + 1 };

	*l = (struct page_places){ .place = xcalloc((size_t)places + 1, sizeof(*l->place)) };
	for (uint32_t i = 0; i < p->head->sites; i++)
		add_site(&a, &p->site[i]);
	for (uint32_t i = 0; i < p->head->heaps; i++)
		add_heap(&a, &p->heap[i]);
	add_groups(&a, p);
	add_up_pairs(l);
	sort_places(l, places + 1);
}

void page_places_free(struct page_places *l)
{
	free(l->place);
	free(l->pair);
	*l = (struct page_places){ .count = 0 };
}
