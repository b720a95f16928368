/* page_places.h -- What the places of a report hold of the pages of the heap.
 *
 * Source docs/format.md, section 15: the definitions of each figure.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/read/pages.h"

/* Bytes, unless another unit is named. */
struct resident_place {
	uint32_t place;	   /* number, as the caller gave it to the sites; PAGE_PLACES_OTHER */
	uint64_t blocks;
	uint64_t resident; /* live bytes: in resident pages, ... */
	uint64_t untouched, swapped, huge;
	uint64_t node[MU_PAGES_NODES_MAX];
	uint64_t pages;	   /* resident pages with its blocks */
	uint64_t alone;	   /* of them: pages that no other place has blocks in */
	uint64_t sparse;   /* of `alone`: less than a tenth is live */
	uint64_t pinned;   /* slack of `alone` */
	uint64_t share;	   /* of all slack; the sum over all places is the slack */
	uint64_t held;	   /* mu_heap_part.held of the heaps that end with its blocks */
};

/* Two places whose blocks are in the same pages; indexes in page_places.place. */
struct page_pair {
	uint32_t a, b;
	uint64_t pages;
	uint64_t slack;	/* of these pages */
};

struct page_places {
	struct resident_place *place; /* largest share first */
	struct page_pair *pair;	  /* most pages first */
	uint32_t count, pairs;
	bool pairs_are_cut; /* pages with very many places have no pairs */
};

/* The number of a place for sites that belong to none. */
#define PAGE_PLACES_OTHER UINT32_MAX

/* page_places_build -- Adds up the sites of places.
 *
 * number  the place of each of SITES sites; PAGE_PLACES_OTHER: none. Sites beyond have none either.
 * places  more than each number.
 * Cost O(uses), and O(n * n) for a group of n places.
 */
void page_places_build(struct page_places *l, const struct pages *p, const uint32_t *number,
		       uint32_t sites, uint32_t places);

/* page_places_free -- Releases everything. Accepts a zeroed struct. */
void page_places_free(struct page_places *l);
