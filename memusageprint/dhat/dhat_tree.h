/* dhat_tree.h -- Program points as the tree that DHAT's viewer shows.
 *
 * A node has all the frames that its points share before they branch. The tree begins at the
 * function that allocates, or, inverted, at the outermost caller.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/dhat.h"
#include "memusageprint/dhat/dhat_metric.h"

enum dhat_weight {
	DHAT_NOT,	/* neither the node nor any node below it is significant */
	DHAT_BELOW,	/* only a node below it is: it is shown in short form */
	DHAT_SELF	/* the node is significant */
};

struct dhat_node {
	struct dhat_point sum;	/* max_ fields of a leaf only */
	uint32_t first, last;	/* its points: [first, last) of tree->order */
	uint32_t from, to;	/* its own frames: [from, to) of each of these points' stacks */
	uint32_t child, children; /* nodes [child, child + children) */
	uint32_t birth;		/* first of its points in the profile: order among equal nodes */
	enum dhat_weight weight;
};

struct dhat_tree {
	const struct dhat *d;
	bool is_inverted;
	uint32_t *order;	/* points, sorted by their frames */
	uint32_t points;
	struct dhat_node *node;	/* [0] is the root; children follow their parents */
	uint32_t count;
};

/* dhat_tree_build -- Builds the tree.
 *
 * is_inverted  begins at the outermost callers.
 * grep         leaves out points without this text in any frame; NULL: none.
 * The program ends if there is no memory.
 */
void dhat_tree_build(struct dhat_tree *t, const struct dhat *d, bool is_inverted,
		     const char *grep);

/* dhat_tree_weigh -- Determines which nodes are significant, and sorts siblings: largest first,
 * then by total bytes, then as in the profile. */
void dhat_tree_weigh(struct dhat_tree *t, enum dhat_metric metric, double threshold);

/* dhat_tree_frame -- Returns frame I of a point, counted from the root of the tree. */
uint32_t dhat_tree_frame(const struct dhat_tree *t, uint32_t point, uint32_t i);

/* dhat_tree_free -- Releases it. */
void dhat_tree_free(struct dhat_tree *t);
