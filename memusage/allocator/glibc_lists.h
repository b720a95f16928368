/* glibc_lists.h -- Free blocks of glibc's malloc that look as if they were in use: in the caches of
 * threads, and in fast bins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/allocator/glibc_heap.h"

/* A block of such a list. */
struct listed_block {
	uint64_t address;
	bool is_fast;	/* in a fast bin; otherwise in the cache of a thread */
	bool is_own;	/* it is the cache itself: not a block of the program */
};

struct glibc_lists {
	struct listed_block *block; /* by address after glibc_lists_sort() */
	uint32_t count, room;
	uint32_t caches;
	uint64_t end_ns; /* as of struct heap_walk */
	char *why; /* borrowed: room for WHY_BYTES */
};

enum { WHY_BYTES = 160 };

/* glibc_lists_add_caches -- Adds the blocks in the caches of all threads.
 *
 * heap_is_used  whether there must be a cache, since something has been allocated.
 * Returns HEAP_OK, or another result with l->why.
 */
enum heap_result glibc_lists_add_caches(struct glibc_lists *l, const struct heap_memory *m,
					const struct glibc_layout *layout, bool heap_is_used);

/* glibc_lists_add_fast -- Adds the blocks in the fast bins of an arena. Returns likewise, or
 * HEAP_TOO_LARGE. */
enum heap_result glibc_lists_add_fast(struct glibc_lists *l, const struct heap_memory *m,
				      const struct glibc_layout *layout, uint64_t arena);

/* glibc_lists_sort -- Sorts them by address. */
void glibc_lists_sort(struct glibc_lists *l);

/* glibc_lists_first -- Returns the number of the first block at an address or behind it. */
uint32_t glibc_lists_first(const struct glibc_lists *l, uint64_t address);

/* glibc_lists_free -- Releases everything. Accepts a zeroed struct. */
void glibc_lists_free(struct glibc_lists *l);
