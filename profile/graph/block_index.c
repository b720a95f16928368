/* block_index.c -- Finds the block that an address points into, in constant time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/block_index.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

enum {
	UNIT_SHIFT = 9,	 /* 64 granules of 8 bytes */
	LEAF_SHIFT = 21, /* of address space that a leaf is about */
	TOP_SHIFT = 30,	 /* ... and an array of leaves */
	UNITS = 1 << (LEAF_SHIFT - UNIT_SHIFT),
	LEAVES = 1 << (TOP_SHIFT - LEAF_SHIFT)
};
#define TOPS_MOST (UINT64_C(1) << 20) /* 2^50 bytes of address space; more than a process has */

struct block_unit {
	uint64_t begins; /* bit i: a block begins in granule i */
	uint64_t before; /* blocks that begin before this unit */
};

/* Leaves of one part of the address space; NULL where no block begins. */
struct block_leaf {
	struct block_unit *unit[LEAVES];
};

static uint64_t block_bytes(const struct heap_block *b)
{
	return b->size ? b->size : 1;
}

static struct block_unit *find_unit(const struct block_index *x, uint64_t address)
{
	uint64_t top = (address - x->base) >> TOP_SHIFT;
	const struct block_leaf *l = top < x->tops ? x->top[top] : NULL;
	struct block_unit *unit = l ? l->unit[address >> LEAF_SHIFT & (LEAVES - 1)] : NULL;

	return unit ? &unit[address >> UNIT_SHIFT & (UNITS - 1)] : NULL;
}

static void make_leaf(struct block_index *x, uint64_t address)
{
	struct block_leaf **top = &x->top[(address - x->base) >> TOP_SHIFT];
	struct block_unit **leaf;

	if (!*top)
		*top = xcalloc(1, sizeof(**top));
	leaf = &(*top)->unit[address >> LEAF_SHIFT & (LEAVES - 1)];
	if (!*leaf)
		*leaf = xcalloc(UNITS, sizeof(**leaf));
}

/* Each unit of a leaf gets the number of blocks that begin before it. A block may reach into leaves
 * in which none begins, so leaves are made for all of its bytes. */
static void make_leaves_of_block(struct block_index *x, const struct heap_block *b)
{
	const uint64_t step = UINT64_C(1) << LEAF_SHIFT, last = b->start + block_bytes(b) - 1;

	for (uint64_t at = b->start & -step; at <= last; at += step)
		make_leaf(x, at);
}

static void set_begin(struct block_index *x, const struct heap_block *b)
{
	struct block_unit *unit = find_unit(x, b->start);
	uint64_t bit = UINT64_C(1) << (b->start >> 3 & 63);

	x->is_crowded |= (unit->begins & bit) != 0;
	unit->begins |= bit;
}

static void count_before(struct block_index *x)
{
	uint64_t before = 0;

	for (uint64_t t = 0; t < x->tops; t++) {
		for (unsigned int l = 0; x->top[t] && l < LEAVES; l++) {
			struct block_unit *unit = x->top[t]->unit[l];

			for (unsigned int u = 0; unit && u < UNITS; u++) {
				unit[u].before = before;
				before += (uint64_t)__builtin_popcountll(unit[u].begins);
			}
		}
	}
}

void block_index_init(struct block_index *x, const struct block_set *blocks)
{
	const struct heap_block *b = blocks->block;

	*x = (struct block_index){ .blocks = blocks };
	if (blocks->count == 0)
		return;
	x->low = b[0].start;
	for (uint32_t i = 0; i < blocks->count; i++) {
		uint64_t end = b[i].start + block_bytes(&b[i]);

		x->high = end > x->high ? end : x->high;
	}
	x->base = x->low >> TOP_SHIFT << TOP_SHIFT;
	x->tops = ((x->high - 1 - x->base) >> TOP_SHIFT) + 1;
	if (x->tops > TOPS_MOST) {
		x->tops = 0;
		x->is_crowded = true;
		return;
	}
	x->top = xcalloc(x->tops, sizeof(struct block_leaf *));
	for (uint32_t i = 0; i < blocks->count; i++)
		make_leaves_of_block(x, &b[i]);
	for (uint32_t i = 0; i < blocks->count; i++)
		set_begin(x, &b[i]);
	count_before(x);
}

/* Blocks that begin at or before WORD. */
static uint32_t bisect_blocks(const struct block_set *s, uint64_t word)
{
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->block[middle].start <= word)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t count_in_unit(const struct block_unit *unit, uint64_t word)
{
	const unsigned int bit = word >> 3 & 63;

	return (uint32_t)(unit->before +
			  (uint64_t)__builtin_popcountll(unit->begins << (63 - bit)));
}

/* Returns the block of WORD if BEGUN blocks begin at or before it, or within its 8 bytes. */
static uint32_t block_with(const struct block_index *x, uint64_t word, uint32_t begun,
			   uint64_t *offset)
{
	const struct heap_block *b;

	if (begun == 0)
		return BLOCK_NONE;
	b = &x->blocks->block[begun - 1];
	/* A block that begins in the same 8 bytes, but behind the word. */
	if (b->start > word) {
		if (begun == 1)
			return BLOCK_NONE;
		b = &x->blocks->block[--begun - 1];
	}
	*offset = word - b->start;
	return *offset < block_bytes(b) ? begun - 1 : BLOCK_NONE;
}

static void find_unit_of_each(const struct block_index *x, struct block_lookup *look, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		look[i].unit = find_unit(x, look[i].word);
		__builtin_prefetch(look[i].unit);
	}
}

static void count_begun_of_each(const struct block_index *x, struct block_lookup *look,
				size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const uint32_t begun = look[i].unit ? count_in_unit(look[i].unit, look[i].word) : 0;

		look[i].block = begun;
		__builtin_prefetch(&x->blocks->block[begun > 0 ? begun - 1 : 0]);
	}
}

void block_index_find_each(const struct block_index *x, struct block_lookup *look, size_t count)
{
	if (x->is_crowded) {
		for (size_t i = 0; i < count; i++)
			look[i].block = bisect_blocks(x->blocks, look[i].word);
	} else {
		find_unit_of_each(x, look, count);
		count_begun_of_each(x, look, count);
	}
	for (size_t i = 0; i < count; i++)
		look[i].block = block_with(x, look[i].word, look[i].block, &look[i].offset);
}

uint32_t block_index_find(const struct block_index *x, uint64_t word, uint64_t *offset)
{
	struct block_lookup look = { .word = word };

	if (!block_index_may_have(x, word))
		return BLOCK_NONE;
	block_index_find_each(x, &look, 1);
	*offset = look.offset;
	return look.block;
}

void block_index_free(struct block_index *x)
{
	for (uint64_t t = 0; t < x->tops; t++) {
		for (unsigned int l = 0; x->top[t] && l < LEAVES; l++)
			free(x->top[t]->unit[l]);
		free(x->top[t]);
	}
	free(x->top);
	*x = (struct block_index){ .blocks = NULL };
}
