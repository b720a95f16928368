/* tree.h -- The tree of callers: the functions that allocated, and their callers.
 *
 * The root is everything; its children are the functions that allocated, theirs the functions
 * that called these, and so on outward. Only significant places become nodes; the others are summed
 * up in one leaf per parent. So the cost depends on what is shown, and memory is bounded: 64 bytes
 * per stack, and the nodes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/model/filter.h"
#include "profile/model/profile.h"
#include "profile/read/site_errors.h"
#include "profile/read/sites.h"

enum tree_grouping {
	TREE_BY_ADDRESS,	/* as Massif: a node is a location */
	TREE_BY_LINE		/* for people: a node is a function and a line in it, and of the
				 * functions that allocate a node is the function, with its lines
				 * as children if there are several; inlined calls are nodes of
				 * their own; recursion is folded */
};

enum { TREE_DEPTH_MAX = 512, TREE_FOLD_MAX = 16 };

enum tree_node_flag {
	TREE_MERGED = 1,	/* stands for several insignificant ones */
	TREE_RECURSIVE = 2,	/* callers that only repeat it and those above were left out */
	TREE_FUNCTION = 8,	/* stands for several lines, which are its children */
	TREE_LINE = 16,		/* ... is such a child */
	TREE_NAMELESS = 32,	/* stands for several functions without a name; also if the node
				 * itself is one and callers without a name were left out */
	TREE_ENDS = 4		/* some stacks end here: children sum up to less */
};

/* In preorder: the first child of a node follows it, the next sibling is node + size. */
struct tree_node {
	int64_t bytes;
	int64_t blocks;
	uint32_t location;	/* of profile; of a line one of those that have it */
	uint32_t level;		/* TREE_BY_LINE: of the location, 0 innermost. Else 0 */
	uint32_t children;
	uint32_t size;		/* nodes of this subtree */
	uint32_t depth;		/* 0: the root */
	uint16_t flags;		/* enum tree_node_flag */
	uint16_t reserved;
	uint32_t merged;	/* TREE_MERGED: how many groups it stands for */
};

struct call_tree {
	struct tree_node *node;	/* [0] is the root */
	struct sampled_error *error;	/* ... of each node; NULL: weights have none */
	uint32_t count;
	uint32_t room, error_room;	/* private */
	bool is_cut;		/* nodes_max was reached: some have no children shown */
};

struct tree_options {
	enum tree_grouping grouping;
	double threshold;	/* percent of the root and OTHER: what is below is merged. 0: all */
	uint64_t other;		/* bytes that count for the threshold, in no tree (Massif: extra) */
	bool by_blocks;		/* order and threshold by blocks instead of bytes */
	unsigned int depth;	/* levels below the root; 0: TREE_DEPTH_MAX */
	uint32_t nodes_max;	/* 0: 4 million */
};

/* tree_build -- make the tree of a metric.
 *
 * t       overwritten; tree_free() it.
 * f       for the profile whose stacks are meant.
 * weight  one per site, from sites_weigh(); sites that are ignored by F do not count, negative
 *         ones (of threads that ran during a snapshot) count as nothing.
 * Siblings come in Massif's order: largest first; among equals by modules_order(). The leaf of
 * the insignificant ones has its place by its sum, first among equals.
 */
void tree_build(struct call_tree *t, const struct filter *f, const struct weight *weight,
		const struct tree_options *o);

/* tree_free -- release the nodes. Fine for a zeroed struct. */
void tree_free(struct call_tree *t);
