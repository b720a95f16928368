/* sample_filter.h -- which addresses may be those of sampled blocks.
 *
 * With --sample nearly all frees are of blocks that are not in the block table. Two steps tell so.
 * A byte for each page counts sampled blocks there: 64 bytes, a line of the cache, are 256 KiB of
 * the heap, so the program keeps its cache. Where that is not 0, four bits tell, which count the
 * sampled blocks of a place.
 *
 * The bytes are for 4 GiB of addresses, so that two instructions find one. The kernel gives memory
 * only for those that are touched, a page for 16 MiB of the heap. Each page that it gives costs 1
 * to 7 us, and each of the first sampled blocks touches another one: so places have four bits, in
 * 32 pages. With a byte and a bit for each of a million places these faults were a third of the
 * cost of samples in the first second.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"

#define SAMPLE_FILTER_LOG2 18u /* places: 12 % are taken with 32,768 live samples */
#define SAMPLE_PLACE_MOST 15u  /* a place with so many blocks is taken for ever */
#define SAMPLE_PAGES_LOG2 20u  /* pages of 4 KiB */

extern HIDDEN struct sample_filter {
	uint8_t pages[1 << SAMPLE_PAGES_LOG2];
	uint8_t places[1 << (SAMPLE_FILTER_LOG2 - 1)]; /* two in a byte, the lower bits first */
} sample_filter;

/* sample_filter_place -- the place of an address. Blocks are at multiples of 16; the higher bits
 * keep allocators' arenas, which are alike, from having their blocks at the same places. */
static inline uint32_t sample_filter_place(uint64_t address)
{
	return (uint32_t)(address >> 4 ^ address >> 24) & ((1u << SAMPLE_FILTER_LOG2) - 1);
}

/* sample_filter_page -- the byte of an address's page. */
static inline uint32_t sample_filter_page(uint64_t address)
{
	return (uint32_t)address >> 12;
}
_Static_assert(SAMPLE_PAGES_LOG2 + 12 == 32, "as many bytes as it has values");

/* sample_filter_may_have -- return whether a block may be sampled. If not, it is none.
 *
 * Async-signal-safe. Cost below 1 ns.
 */
static inline bool sample_filter_may_have(uint64_t address)
{
	uint32_t place = sample_filter_place(address);

	if (__builtin_expect(!sample_filter.pages[sample_filter_page(address)], 1))
		return false;
	uint8_t two = __atomic_load_n(&sample_filter.places[place / 2], __ATOMIC_RELAXED);
	return two >> (place % 2 * 4) & SAMPLE_PLACE_MOST;
}

/* sample_filter_add -- enter a block. One thread at a time: needs locks.sampling. */
void sample_filter_add(uint64_t address);

/* sample_filter_remove -- remove a block that was entered. One thread at a time. */
void sample_filter_remove(uint64_t address);

/* sample_filter_clear -- make the filter empty, for a new image. One thread at a time.
 *
 * The blocks of the static area (real.h) are entered for good, because the real free must not get
 * them.
 */
void sample_filter_clear(void);
