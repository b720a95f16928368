/* holder_tree.h -- A tree of blocks folded by site: what holds how much, on one page.
 *
 * A tree of blocks has a million vertices. Blocks of one site below the same node are one node
 * here, and a site that is found again below itself is one with the upper one: so a list, or a
 * tree in the program, is one node. Each block is in one node, and so the bytes of all nodes are
 * those of all blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/graph/holding.h"
#include "profile/graph/root_sets.h"

/* A tree of the vertices of a struct holding; number 0 is vertex 0. */
struct block_tree {
	uint32_t count;
	uint32_t *vertex; /* by number */
	uint32_t *parent; /* by number: that of the parent, which is smaller */
};

/* holding_paths -- Finds the shortest path from the entry to each vertex, in the order of roots.
 *
 * Release t->vertex and t->parent with free().
 */
void holding_paths(struct block_tree *t, const struct holding *h);

struct holder_tree {
	struct mu_holder_node *node; /* parents have smaller numbers */
	uint32_t count, room;
};

/* holder_tree_fold -- Folds a tree by site.
 *
 * of    of struct root_sets: the sets of those blocks that are children of number 0; NULL: there
 *       are none.
 * most  nodes to keep: the largest with all that is below them. What is below a smaller one is
 *       added up in a node MU_HOLDER_REST of the one that is kept, so up to twice as many come out.
 * Nodes without blocks are left out. Cost 10 to 100 ns for each block, and 4 bytes.
 */
void holder_tree_fold(struct holder_tree *t, const struct block_tree *blocks,
		      const struct holding *h, const struct block_set *set, const uint32_t *of,
		      uint32_t most);

/* holder_tree_free -- Releases everything. Accepts a zeroed struct. */
void holder_tree_free(struct holder_tree *t);
