/* memory_parts.h -- What the parts of an address space are for: heap, recorder, stacks, others.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"
#include "recording/pages.h"

/* Addresses are multiples of the page size. */
struct memory_part {
	uint64_t start, end;
	enum mu_pages_part part; /* MU_PAGES_LIVE stands for all of the heap */
	enum mu_heap_kind heap;
	bool is_shared;		 /* its pages are those of the process, not of a copy of it */
};

struct memory_parts {
	struct memory_part *part; /* ascending; no two share a page */
	uint32_t count, room;
};

/* memory_parts_find -- Divides all mappings of a snapshot.
 *
 * Source  docs/format.md, section 15.
 */
void memory_parts_find(struct memory_parts *m, const struct snapshot *s);

/* memory_parts_free -- Releases everything. Accepts a zeroed struct. */
void memory_parts_free(struct memory_parts *m);
