/* page_advice.h -- What would make the resident heap smaller, judged by its figures.
 *
 * Each advice is tried in tests/e2e/fragmentation_advice.t: the program follows it, and its
 * resident memory before and after is compared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/model/page_places.h"
#include "profile/read/sites.h"

enum page_advice_kind {
	PAGE_ADVICE_TRIM,      /* malloc_trim(0) gives free pages back */
	PAGE_ADVICE_ARENAS,    /* fewer arenas: MALLOC_ARENA_MAX */
	PAGE_ADVICE_THRESHOLD, /* large blocks in mappings: MALLOC_MMAP_THRESHOLD_ */
	PAGE_ADVICE_POOL,      /* a pool for the blocks of a place */
	PAGE_ADVICE_ALLOCATOR, /* one with less overhead for small blocks */
	PAGE_ADVICE_KINDS
};

struct page_advice {
	enum page_advice_kind kind;
	uint64_t bytes; /* resident memory that it is about */
	uint32_t place; /* POOL: index in page_places.place */
};

/* page_advice_find -- Chooses the advice that fits, the largest gain first.
 *
 * large_freed  bytes that sites of blocks of 128 KiB or more had at their most, and have no more.
 * Returns how many entries of ADVICE are set. None is given for less than 1 MiB, or for less than
 * a tenth of the resident heap.
 */
unsigned int page_advice_find(struct page_advice advice[PAGE_ADVICE_KINDS], const struct pages *p,
			      const struct page_places *places, uint64_t large_freed);

/* page_advice_large_freed -- Returns the bytes that sites of large blocks had once, and have no
 * more, as page_advice_find() wants them. The lifetimes of the sites have been read. */
uint64_t page_advice_large_freed(const struct sites *sites);

/* page_advice_text -- Returns what to do, as a sentence without an end.
 *
 * after  POOL: set to what follows the name of the place; else "".
 */
const char *page_advice_text(enum page_advice_kind kind, const char **after);

/* page_part_text -- Returns what a part of resident memory is: "stacks". */
const char *page_part_text(enum mu_pages_part part);
