/* heap_ranges.h -- The parts of an address space that an allocator or the recorder has for itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"

struct heap_range {
	uint64_t start, end;
};

struct heap_ranges {
	struct heap_range *range; /* ascending; no two touch each other */
	uint32_t count, room;
};

/* heap_ranges_find -- Finds where an allocator takes blocks from: "[heap]", arenas, and mappings
 * for single blocks; also thread-local variables of an allocator library, and the recorder's
 * mappings. */
void heap_ranges_find(struct heap_ranges *h, const struct snapshot *s);

/* heap_ranges_first -- Returns the number of the first range that ends behind an address. */
uint32_t heap_ranges_first(const struct heap_ranges *h, uint64_t address);

/* heap_ranges_free -- Releases everything. */
void heap_ranges_free(struct heap_ranges *h);
