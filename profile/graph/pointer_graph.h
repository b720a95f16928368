/* pointer_graph.h -- Which block points to which, and what points to blocks from outside of them.
 *
 * A pointer is an aligned word whose value is the address of a byte of a block: a *start* pointer
 * if it is the first one, else an *interior* pointer. Memory is scanned once, and everything that
 * is asked about reachability is computed from the graph: 4 bytes for each pointer, 16 more for an
 * interior one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/graph/block_index.h"

#define POINTER_INTERIOR (UINT32_C(1) << 31)
#define POINTER_TARGET(word) ((word) & ~POINTER_INTERIOR)

/* An interior pointer from a block: which pointer it is, and where in its target it points. */
struct interior_pointer {
	uint64_t pointer; /* index in `to` */
	uint64_t offset;
};

/* A pointer from outside of all blocks. */
struct root_pointer {
	uint64_t place;	 /* its address, as the caller gave it */
	uint64_t offset; /* in its target */
	uint32_t to;	 /* target, and POINTER_INTERIOR */
	uint32_t root;	 /* number that the caller gave to what it was found in */
};

struct pointer_graph {
	struct block_index index;
	const struct block_set *blocks;
	uint64_t *first; /* blocks->count + 1: the pointers of block i are to[first[i]] and on */
	uint32_t *to;	 /* targets, with POINTER_INTERIOR */
	uint64_t count, room;
	struct interior_pointer *interior; /* ascending */
	uint64_t interiors, interior_room;
	struct root_pointer *root;
	uint64_t roots, root_room;
	uint32_t next; /* block whose pointers are added next */
	struct block_lookup *waiting; /* words of blocks that are looked up together; private */
	uint32_t *from;		      /* ... and the blocks that they are in */
	size_t waits;
};

/* pointer_graph_init -- Makes a graph without pointers.
 *
 * blocks  after block_set_finish(); borrowed.
 */
void pointer_graph_init(struct pointer_graph *g, const struct block_set *blocks);

/* pointer_graph_scan -- Adds what a part of a block contains.
 *
 * block  its number. Blocks come in ascending order, and parts of one, too.
 * word   COUNT words of it, each of which was at a multiple of 8.
 */
void pointer_graph_scan(struct pointer_graph *g, uint32_t block, const uint64_t *word,
			size_t count);

/* pointer_graph_finish -- Ends the scan of blocks. */
void pointer_graph_finish(struct pointer_graph *g);

/* pointer_graph_scan_root -- Adds what memory outside of blocks contains.
 *
 * root   number of what it is, which the pointers keep.
 * place  address of the first word.
 */
void pointer_graph_scan_root(struct pointer_graph *g, uint32_t root, uint64_t place,
			     const uint64_t *word, size_t count);

/* pointer_graph_free -- Releases everything. Accepts a zeroed struct. */
void pointer_graph_free(struct pointer_graph *g);
