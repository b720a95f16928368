/* block_set.h -- The live blocks of a process at one moment, in the order of their addresses.
 *
 *	struct block_set s = { .count = 0 };
 *
 *	block_set_add(&s, start, size, site);	(in any order)
 *	block_set_finish(&s);
 *	...
 *	block_set_free(&s);
 *
 * Everything in this room is computed from numbers alone: where they come from, and how the memory
 * behind them is read, is the caller's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BLOCK_SET_MAX = 1 << 30 }; /* more are refused: the numbers of blocks have 31 bits */

struct heap_block {
	uint64_t start; /* address in the process */
	uint64_t size;	/* bytes that the program asked for */
	uint32_t site;	/* of the recording */
	uint32_t is_announced : 1; /* by a client request; else it is from malloc */
	uint32_t birth : 30;	   /* lowest bits of its time of birth */
};

struct block_set {
	struct heap_block *block;
	uint32_t count, room;
	uint64_t bytes;	      /* of all blocks */
	uint32_t left_out;    /* blocks that hold announced ones; set by block_set_finish() */
	bool is_unsorted;     /* private */
};

/* block_set_add -- Adds a block. Returns false if there are too many already. */
bool block_set_add(struct block_set *s, const struct heap_block *block);

/* block_set_finish -- Sorts the blocks, and leaves out those from malloc that hold announced ones.
 *
 * A program that gives parts of a block to a pool announces the parts: they are what it allocated,
 * and the block around them is only their room. Memcheck counts in the same way. If two blocks have
 * one address, the first one that was added stays.
 * Source  Valgrind 3.19 manual, section 4.8, "Memory Pools".
 */
void block_set_finish(struct block_set *s);

/* block_set_free -- Releases everything. Accepts a zeroed struct. */
void block_set_free(struct block_set *s);
