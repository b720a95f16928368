/* access_count.h -- counting an access to a block whose place is known.
 *
 * Separate from accesses.h because it uses vector registers, which the recorder's other parts must
 * not change: only functions that compilers or the emulator call as functions may include it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "libmemusage/tables/accesses.h"

#ifdef __x86_64__

#include <emmintrin.h>

/* cpu_count_8 -- add 1 to each of 8 counters, which stop at 65535.
 *
 * count  not necessarily aligned. Not atomic.
 */
static inline void cpu_count_8(uint16_t *count)
{
	const __m128i one = _mm_set1_epi16(1);
	__m128i sum = _mm_adds_epu16(_mm_loadu_si128((const __m128i_u *)count), one);

	_mm_storeu_si128((__m128i_u *)count, sum);
}

/* cpu_count_4 -- likewise for 4 counters. */
static inline void cpu_count_4(uint16_t *count)
{
	const __m128i one = _mm_set1_epi16(1);
	__m128i sum = _mm_adds_epu16(_mm_loadl_epi64((const __m128i_u *)count), one);

	_mm_storel_epi64((__m128i_u *)count, sum);
}

#else

/* cpu_count_8 -- as above. */
static inline void cpu_count_8(uint16_t *count)
{
	for (int i = 0; i < 8; i++)
		count[i] += count[i] != UINT16_MAX;
}

/* cpu_count_4 -- as above. */
static inline void cpu_count_4(uint16_t *count)
{
	for (int i = 0; i < 4; i++)
		count[i] += count[i] != UINT16_MAX;
}

#endif

/* accesses_count_bytes -- count the bytes [offset, offset + size) of a block that is_counted. */
static inline __attribute__((always_inline)) void
accesses_count_bytes(struct mu_access *cell, const struct access_block *block, uint64_t offset,
		     uint64_t size)
{
	if (likely(cell->counts && size == 8 && offset + 8 <= cell->length))
		cpu_count_8((uint16_t *)arena_at(cell->counts) + offset);
	else if (likely(cell->counts && size == 4 && offset + 4 <= cell->length))
		cpu_count_4((uint16_t *)arena_at(cell->counts) + offset);
	else
		accesses_bytes_slow(cell, block, offset, size);
}

/* accesses_count -- count a read or a write of `size` bytes at an address inside a block.
 *
 * All bytes count, even those beyond the block's end: an access belongs to where it begins.
 */
static inline __attribute__((always_inline)) void accesses_count(struct access_part *part,
								 const struct access_block *block,
								 uint64_t address, uint64_t size,
								 const bool is_write)
{
	struct mu_access *cell = accesses_cell(part, block->site);

	if (unlikely(!cell))
		return;
	if (is_write)
		cell->written_bytes += size;
	else
		cell->read_bytes += size;
	if (block->is_counted)
		accesses_count_bytes(cell, block, address - block->start, size);
}
