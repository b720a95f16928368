/* heap_place.h -- Where an allocator has a block: the memory around it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/address_space.h"
#include "profile/graph/block_set.h"
#include "recording/pages.h"

struct heap_place {
	const struct area *area; /* that the block is in; NULL: nothing is mapped there */
	uint64_t start, end;	 /* 0 without AREA */
	enum mu_heap_kind kind;
};

/* heap_place_find -- Finds the memory that an allocator has for itself around a block.
 *
 * An arena's part is where glibc puts it, also if a mapping begins inside of it; it ends with the
 * block's mapping. A block mapped on its own has whole pages. Otherwise it is all of the mapping:
 * the main heap's, or another allocator's, which may also be a file. A block of "[heap]" without
 * the words that glibc writes before a block is another allocator's.
 * Source  glibc 2.36, malloc/malloc.c and arena.c: the words before a block.
 */
struct heap_place heap_place_find(const struct address_space *s, const struct heap_block *b);

/* heap_place_of_area -- Returns all of a mapping, as if an allocator had it. */
struct heap_place heap_place_of_area(const struct area *a);
