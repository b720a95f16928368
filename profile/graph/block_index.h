/* block_index.h -- Finds the block that an address points into, in constant time.
 *
 * A bit stands for each 8 bytes of address space, and is set where a block begins. For each 64 bits
 * the number of the blocks before them is kept. So the number of the last block that begins at or
 * before an address is that number and a count of bits: two loads, where a bisection of a million
 * blocks takes twenty. The index takes 16 bytes for each 512 bytes of those parts of the address
 * space (2 MiB each) that have blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/graph/block_set.h"

#define BLOCK_NONE UINT32_MAX

struct block_index {
	const struct block_set *blocks;
	uint64_t low, high;	/* no block has a byte outside of [low, high) */
	struct block_leaf **top; /* by address, in steps of TOP bytes; private, as all below */
	uint64_t tops;
	uint64_t base;		/* address of top[0] */
	bool is_crowded;	/* two blocks begin within the same 8 bytes: bisect instead */
};

/* block_index_init -- Makes the index.
 *
 * blocks  after block_set_finish(); borrowed.
 * Cost 4 to 20 ns for each block.
 */
void block_index_init(struct block_index *x, const struct block_set *blocks);

/* block_index_may_have -- Tells at once whether WORD is between the first block and the last. */
static inline bool block_index_may_have(const struct block_index *x, uint64_t word)
{
	return word - x->low < x->high - x->low;
}

/* A word, and the block that it points to. */
struct block_lookup {
	uint64_t word;
	const struct block_unit *unit; /* private */
	uint64_t offset; /* as block_index_find() sets it */
	uint32_t block;	 /* its number, or BLOCK_NONE */
};

/* block_index_find_each -- Finds the blocks of COUNT words, as block_index_find() does.
 *
 * look  has the words, for each of which block_index_may_have() is true; the rest is overwritten.
 * Memory is asked for ahead of its use: with pointers at random into a gigabyte some hundred words
 * at a time take a third of the time that each alone would.
 */
void block_index_find_each(const struct block_index *x, struct block_lookup *look, size_t count);

/* block_index_find -- Returns the number of the block that WORD points to, or BLOCK_NONE.
 *
 * offset  set to the bytes from the start of the block to WORD. A block of no bytes has one, as
 *         with Memcheck; the first byte behind a block belongs to no block.
 */
uint32_t block_index_find(const struct block_index *x, uint64_t word, uint64_t *offset);

/* block_index_free -- Releases everything. Accepts a zeroed struct. */
void block_index_free(struct block_index *x);
