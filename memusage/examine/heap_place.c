/* heap_place.c -- Where an allocator has a block: the memory around it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/heap_place.h"

#include <string.h>
#include <unistd.h>

enum {
	CHUNK_IS_MAPPED = 2,
	CHUNK_IN_ARENA = 4,
	CHUNK_FLAGS = 7,
	CHUNK_HEADER = 16,
	CHUNK_ALIGNMENT = 16,
	CHUNK_SLACK = 64, /* bytes: less than two of the least chunks, which glibc would cut off */
};
/* glibc's arenas other than the first are in parts that begin at a multiple of their size. */
#define ARENA_SIZE (UINT64_C(64) << 20)

struct heap_place heap_place_of_area(const struct area *a)
{
	return (struct heap_place){
		.area = a, .start = a->start, .end = a->end,
		.kind = strcmp(a->name, "[heap]") == 0 ? MU_HEAP_MAIN : MU_HEAP_OTHER,
	};
}

static struct heap_place place_in_arena(const struct area *a, uint64_t block)
{
	const uint64_t start = block & -ARENA_SIZE, end = start + ARENA_SIZE;

	return (struct heap_place){ .area = a, .start = start, .end = a->end < end ? a->end : end,
				    .kind = MU_HEAP_ARENA };
}

/* tcmalloc asks brk() for memory, too: the words before its blocks are those of other blocks. */
static struct heap_place place_in_main_heap(const struct area *a, uint64_t size_word,
					    const struct heap_block *b)
{
	const uint64_t size = size_word & ~(uint64_t)CHUNK_FLAGS;
	const bool is_chunk = (size_word & (CHUNK_IS_MAPPED | CHUNK_IN_ARENA)) == 0 &&
			      size % CHUNK_ALIGNMENT == 0 && size >= CHUNK_ALIGNMENT &&
			      size - sizeof(size_word) >= b->size &&
			      size - sizeof(size_word) - b->size <= CHUNK_SLACK;
	struct heap_place p = heap_place_of_area(a);

	if (!is_chunk)
		p.kind = MU_HEAP_OTHER;
	return p;
}

struct heap_place heap_place_find(const struct address_space *s, const struct heap_block *b)
{
	const struct area *a = address_space_find(s, b->start);
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), chunk = b->start - CHUNK_HEADER;
	uint64_t word[2], size;

	if (!a)
		return (struct heap_place){ .area = NULL };
	if (address_space_read(s, chunk, word, sizeof(word)) != sizeof(word))
		return heap_place_of_area(a);
	if (strcmp(a->name, "[heap]") == 0)
		return place_in_main_heap(a, word[1], b);
	size = word[1] & ~(uint64_t)CHUNK_FLAGS;
	if (word[1] & CHUNK_IS_MAPPED && word[0] < page && size >= b->size &&
	    size - b->size < 2 * page)
		return (struct heap_place){ .area = a, .start = (chunk - word[0]) & -page,
					    .end = (chunk + size + page - 1) & -page,
					    .kind = MU_HEAP_MAPPED };
	if ((word[1] & (CHUNK_IS_MAPPED | CHUNK_IN_ARENA)) == CHUNK_IN_ARENA)
		return place_in_arena(a, b->start);
	return heap_place_of_area(a);
}
