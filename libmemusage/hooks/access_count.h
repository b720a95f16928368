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

/* cpu_count_8 -- add 1 to each of 8 counters, which stop at 65535.
 *
 * count  not necessarily aligned. Not atomic.
 */
static inline void cpu_count_8(uint16_t *count)
{
	typedef short eight __attribute__((vector_size(16), aligned(2), may_alias));
	const eight one = { 1, 1, 1, 1, 1, 1, 1, 1 };

	*(eight *)count = __builtin_ia32_paddusw128(*(eight *)count, one);
}

/* cpu_count_4 -- likewise for 4 counters. */
static inline void cpu_count_4(uint16_t *count)
{
	typedef short eight __attribute__((vector_size(16)));
	typedef long long two __attribute__((vector_size(16)));
	const eight one = { 1, 1, 1, 1, 0, 0, 0, 0 };
	two low = { 0, 0 };
	long long sum;

	__builtin_memcpy(&low, count, 8);
	low = (two)__builtin_ia32_paddusw128((eight)low, one);
	sum = low[0];
	__builtin_memcpy(count, &sum, 8);
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
