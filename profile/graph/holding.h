/* holding.h -- Roots and blocks as one graph of what holds what.
 *
 * Roots have *ranks*, and a block has the lowest rank of the roots that reach it. A pointer holds
 * a block only if it comes from a root or a block of the same rank. So a stack of a thread, which
 * holds things for moments, and has words in it that are of no use any more, holds only what no
 * variable does.
 *
 * Blocks that no root reaches are lost: a last root, of a rank of its own, holds those of them that
 * lead to all others. For a lost cycle that is the block with the lowest address, as in a leak
 * check.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/graph/dominators.h"
#include "profile/graph/pointer_graph.h"

#define HOLDING_LEAST_RANK 254 /* lost blocks have the next one */
#define HOLDING_NO_ROOT UINT32_MAX

/* Some roots are around others, as the frame of a function is around those that it calls. Only
 * the outer one holds what both lead to. */
struct holding_nest {
	uint32_t number; /* of roots around each other, 0 none */
	uint32_t depth;	 /* 0 the outermost */
};

struct holding_roots {
	const uint32_t *of_pointer; /* root of each pointer of the graph's `root`, or
				     * HOLDING_NO_ROOT: the pointer does not count */
	const uint8_t *rank;	    /* of each root, up to HOLDING_LEAST_RANK */
	uint32_t count;
	const struct holding_nest *nest; /* of each root; NULL: all have none */
};

struct holding {
	struct flow_graph graph; /* vertex 0 leads to all roots; they follow, then the blocks */
	uint32_t roots;		 /* the last one is that of lost blocks */
	uint8_t *rank;		 /* of each block */
};

/* Vertices. */
#define HOLDING_ROOT(root) (1 + (root))
#define HOLDING_BLOCK(h, block) (1 + (h)->roots + (block))

/* holding_build -- Makes the graph.
 *
 * p  after pointer_graph_finish(); borrowed until the call returns.
 * Cost 20 to 300 ns for each block; 8 bytes for each and 4 for each pointer that holds.
 */
void holding_build(struct holding *h, const struct pointer_graph *p,
		   const struct holding_roots *roots);

/* holding_free -- Releases everything. Accepts a zeroed struct. */
void holding_free(struct holding *h);
