/* page_census.h -- Which live blocks keep which pages of the heap resident.
 *
 *	struct page_census c;
 *
 *	page_census_take(&c, &blocks, range, ranges, 4096);
 *	... c.head, c.site, c.groups, c.heap ...
 *	page_census_free(&c);
 *
 * Computed from numbers alone: the live blocks of a moment, and the state of each page. The exact
 * definitions are in docs/format.md, section 15.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/graph/block_set.h"
#include "profile/pages/page_groups.h"
#include "recording/pages.h"

/* Bits of the state of a page; none: the process has never written to it, or has given it back. */
enum page_state {
	PAGE_RESIDENT = 1,
	PAGE_SWAPPED = 2,
	PAGE_HUGE = 4,
	PAGE_NODE_SHIFT = 4 /* its NUMA node, in the highest bits */
};

/* Consecutive pages of the heap. */
struct page_range {
	uint64_t start, end; /* addresses; multiples of the size of a page */
	uint8_t *state;	     /* enum page_state of each; borrowed */
	enum mu_heap_kind kind;
};

struct page_census {
	struct mu_pages head; /* what concerns the heap; the rest is zero */
	struct mu_page_site *site; /* ascending by site */
	struct page_groups groups;
	struct mu_heap_part *heap;
	uint32_t sites, heaps;
};

/* page_census_take -- Adds up all pages and blocks.
 *
 * blocks      finished. Bytes of a block that are in an earlier one count there only.
 * range       COUNT ranges, ascending, which share no page. Blocks outside count as untouched.
 * page_bytes  a power of two.
 * Cost 20 ns for each block, 50 to 200 ns for each page.
 */
void page_census_take(struct page_census *c, const struct block_set *blocks,
		      const struct page_range *range, uint32_t count, uint32_t page_bytes);

/* page_census_bytes -- Returns the bytes of a census as it is kept in a recording. */
uint64_t page_census_bytes(const struct page_census *c);

/* page_census_pack -- Returns it in this form, to be freed: the header and its tables. */
struct mu_pages *page_census_pack(struct page_census *c);

/* page_census_free -- Releases everything. Accepts a zeroed struct. */
void page_census_free(struct page_census *c);
