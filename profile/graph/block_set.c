/* block_set.c -- The live blocks of a process at one moment, in the order of their addresses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/block_set.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

enum { SHIFTS_MOST = 64 };

/* The records of a page are nearly in order, so most blocks find their place near the end. */
static uint32_t make_place(struct block_set *s, uint64_t start)
{
	uint32_t at = s->count;

	while (at > 0 && s->count - at < SHIFTS_MOST && s->block[at - 1].start > start)
		at--;
	if (at > 0 && s->block[at - 1].start >= start) {
		s->is_unsorted = true;
		return s->count;
	}
	memmove(&s->block[at + 1], &s->block[at], (s->count - at) * sizeof(*s->block));
	return at;
}

bool block_set_add(struct block_set *s, const struct heap_block *block)
{
	if (s->count >= BLOCK_SET_MAX)
		return false;
	array_reserve(&s->block, &s->room, s->count + UINT64_C(1), sizeof(*s->block));
	s->block[make_place(s, block->start)] = *block;
	s->count++;
	return true;
}

/* At one address a block from malloc comes first: it may be the room of the other. */
static int compare_blocks(const void *a, const void *b)
{
	const struct heap_block *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (int)x->is_announced - (int)y->is_announced;
}

/* Returns true if an announced block begins within block K, which is from malloc. */
static bool holds_announced_block(const struct block_set *s, uint32_t k)
{
	const struct heap_block *b = &s->block[k];

	for (uint32_t i = k + 1; i < s->count && s->block[i].start - b->start < b->size; i++) {
		if (s->block[i].is_announced)
			return true;
	}
	return false;
}

void block_set_finish(struct block_set *s)
{
	uint32_t kept = 0;

	if (s->is_unsorted)
		qsort(s->block, s->count, sizeof(*s->block), compare_blocks);
	s->is_unsorted = false;
	s->bytes = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct heap_block b = s->block[i];

		if (!b.is_announced && holds_announced_block(s, i)) {
			s->left_out++;
			continue;
		}
		if (kept > 0 && s->block[kept - 1].start == b.start)
			continue;
		s->block[kept++] = b;
		s->bytes += b.size;
	}
	s->count = kept;
}

void block_set_free(struct block_set *s)
{
	free(s->block);
	*s = (struct block_set){ .count = 0 };
}
