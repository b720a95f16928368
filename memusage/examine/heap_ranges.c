/* heap_ranges.c -- The parts of an address space that an allocator or the recorder has for itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/heap_ranges.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

enum {
	CHUNK_IS_MAPPED = 2,
	CHUNK_IN_ARENA = 4,
	CHUNK_FLAGS = 7,
	CHUNK_HEADER = 16,
	OWN_MAX = 1 << 16
};
#define ARENA_SIZE (UINT64_C(64) << 20)
#define PAGE UINT64_C(4096)

static void append_range(struct heap_ranges *h, uint64_t start, uint64_t end)
{
	if (start >= end)
		return;
	array_reserve(&h->range, &h->room, h->count + UINT64_C(1), sizeof(*h->range));
	h->range[h->count++] = (struct heap_range){ start, end };
}

static uint64_t end_of_area(const struct snapshot *s, uint64_t address, uint64_t most)
{
	const struct area *a = address_space_find(&s->space, address);

	return a && a->end < most ? a->end : most;
}

/* glibc's arenas other than the first are in parts that begin at a multiple of their size. */
static struct heap_range range_in_arena(const struct snapshot *s, uint64_t block)
{
	const uint64_t start = block & -ARENA_SIZE;

	return (struct heap_range){ start, end_of_area(s, block, start + ARENA_SIZE) };
}

/* What is around a block of which glibc's words say nothing: the mapping, if it is no file's. */
static struct heap_range range_of_mapping(const struct area *a)
{
	return a->flags & AREA_FILE ? (struct heap_range){ 0, 0 } :
				      (struct heap_range){ a->start, a->end };
}

static struct heap_range range_around(const struct snapshot *s, const struct heap_block *b)
{
	const struct area *a = address_space_find(&s->space, b->start);
	uint64_t word[2], size;

	if (!a)
		return (struct heap_range){ 0, 0 };
	if (strcmp(a->name, "[heap]") == 0)
		return range_of_mapping(a);
	if (address_space_read(&s->space, b->start - CHUNK_HEADER, word, sizeof(word)) !=
	    sizeof(word))
		return range_of_mapping(a);
	size = word[1] & ~(uint64_t)CHUNK_FLAGS;
	if (word[1] & CHUNK_IS_MAPPED && word[0] < PAGE && size >= b->size &&
	    size - b->size < 2 * PAGE)
		return (struct heap_range){ (b->start - CHUNK_HEADER - word[0]) & -PAGE,
					    (b->start - CHUNK_HEADER + size + PAGE - 1) & -PAGE };
	if ((word[1] & (CHUNK_IS_MAPPED | CHUNK_IN_ARENA)) == CHUNK_IN_ARENA)
		return range_in_arena(s, b->start);
	return range_of_mapping(a);
}

/* Each block is in a range, or extends the list by the one around it. Announced blocks are where
 * the program has put them, which is no heap of an allocator. */
static void append_heaps(struct heap_ranges *h, const struct snapshot *s)
{
	uint64_t upto = 0;

	for (uint32_t i = 0; i < s->blocks.count; i++) {
		const struct heap_block *b = &s->blocks.block[i];
		struct heap_range r;

		if (b->is_announced || b->start < upto)
			continue;
		r = range_around(s, b);
		append_range(h, r.start, r.end);
		append_range(h, b->start, b->start + b->size);
		upto = r.end;
	}
}

static void append_brk(struct heap_ranges *h, const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->space.count; i++) {
		const struct area *a = &s->space.area[i];

		if (strcmp(a->name, "[heap]") == 0)
			append_range(h, a->start, a->end);
	}
}

static void append_recorder(struct heap_ranges *h, const struct snapshot *s)
{
	uint64_t list[2]; /* address, count */
	struct mu_own_mapping own;

	if (address_space_read(&s->space, s->examined.own, list, sizeof(list)) != sizeof(list))
		return;
	for (uint64_t i = 0; i < list[1] && i < OWN_MAX; i++) {
		if (address_space_read(&s->space, list[0] + i * sizeof(own), &own, sizeof(own)) !=
		    sizeof(own))
			return;
		if (own.size < UINT64_MAX - own.start)
			append_range(h, own.start, own.start + own.size);
	}
}

static int compare_ranges(const void *a, const void *b)
{
	const struct heap_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void join_ranges(struct heap_ranges *h)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < h->count; i++) {
		const struct heap_range r = h->range[i];

		if (kept > 0 && r.start <= h->range[kept - 1].end)
			h->range[kept - 1].end = r.end > h->range[kept - 1].end ?
							 r.end : h->range[kept - 1].end;
		else
			h->range[kept++] = r;
	}
	h->count = kept;
}

void heap_ranges_find(struct heap_ranges *h, const struct snapshot *s)
{
	*h = (struct heap_ranges){ .count = 0 };
	append_brk(h, s);
	append_heaps(h, s);
	append_recorder(h, s);
	if (h->count > 0)
		qsort(h->range, h->count, sizeof(*h->range), compare_ranges);
	join_ranges(h);
}

uint32_t heap_ranges_first(const struct heap_ranges *h, uint64_t address)
{
	uint32_t i = (uint32_t)array_first_from(h->range, h->count, sizeof(*h->range),
						offsetof(struct heap_range, start), address);

	return i > 0 && h->range[i - 1].end > address ? i - 1 : i;
}

void heap_ranges_free(struct heap_ranges *h)
{
	free(h->range);
	*h = (struct heap_ranges){ .count = 0 };
}
