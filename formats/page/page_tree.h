/* page_tree.h -- the call tree of a report page: all stacks from the outermost caller inward.
 *
 * Places (function, file, line, object) are interned, and so are the nodes, by parent and place.
 * page_cut() then chooses the nodes that matter, because a page has a bounded size: a node's
 * score is the largest share that its subtree has in any metric, the best ones stay (a parent
 * never scores less than its children), and the sites of the others are added up in nodes that
 * say so. No byte is lost by it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/wordmap.h"
#include "profile/base/error.h"
#include "profile/base/strings.h"

/* The figures of a site. They are sums, so that nodes can be added up. */
enum page_metric {
	PAGE_TOTAL_BYTES, PAGE_TOTAL_BLOCKS,
	PAGE_PEAK_BYTES, PAGE_PEAK_BLOCKS,
	PAGE_END_BYTES, PAGE_END_BLOCKS,
	PAGE_TEMPORARY,		/* blocks */
	PAGE_LIFE,		/* of blocks that were freed, sum, in units of the page's time */
	PAGE_READ_BYTES, PAGE_WRITTEN_BYTES,
	PAGE_MAX_BYTES, PAGE_MAX_BLOCKS,	/* of the site itself; no sums */
	PAGE_METRICS,
	/* The errors of estimates, by which no node is chosen: five of page_error for each of the
	 * peak, the end and the total. */
	PAGE_ERRORS = PAGE_METRICS,
	PAGE_ERRORS_END = PAGE_ERRORS + 15
};

/* Fields of struct mu_error_cell, in its units. */
enum page_error {
	PAGE_ERROR_SAMPLES, PAGE_ERROR_EXACT_BYTES, PAGE_ERROR_EXACT_BLOCKS, PAGE_ERROR_VARIANCE,
	PAGE_ERROR_BLOCK_VARIANCE, PAGE_ERROR_FIELDS
};

/* Flags of a place. */
enum {
	PAGE_INLINED = 1,	/* the call was inlined */
	PAGE_RUNTIME = 2,	/* of a run-time: hidden by default */
	PAGE_AGENT = 4,		/* ... and the innermost such stands for a stack that has nothing
				 * else: it says more about the program than a library does */
	PAGE_MERGED = 8		/* places that Massif merged: of no object */
};

/* Texts are numbers of page_tree.strings, 0 unknown. */
struct page_place {
	uint32_t function;
	uint32_t file;
	uint32_t line;
	uint32_t object;
	uint32_t flags;
};

/* Node 0 is the root. A parent has a smaller number than its children. */
struct page_node {
	uint32_t parent;
	uint32_t place;
};

struct page_tree {
	struct strings strings;
	struct page_place *place;	/* 0: unknown */
	struct page_node *node;
	uint32_t place_count, node_count;
	uint32_t place_room, node_room;	/* private */
	struct wordmap places, nodes;
};

/* The sites of a page. */
struct page_sites {
	uint32_t count;
	const uint32_t *node;	/* of each, where its stack ends */
	int64_t (*value)(const void *data, uint32_t site, enum page_metric metric);
	const void *data;
	uint32_t metrics;	/* bits: which are known */
	double distance;	/* mean bytes between two sampled blocks; 0: they have no errors */
};

/* How a node of the page came about. */
enum page_node_flag {
	PAGE_SKIPPED = 1,	/* frames between it and its parent are left out */
	PAGE_OTHERS = 2		/* stands for many places */
};

struct page_cut {
	struct page_node *node;	/* place as in the tree */
	uint8_t *flags;		/* enum page_node_flag */
	uint32_t count;
	uint32_t *of_site;	/* node of each site */
	double share;		/* what scores less was left out; 0: nothing was */
	uint32_t left_out;	/* nodes */
};

/* page_tree_init -- a tree with its root. */
void page_tree_init(struct page_tree *t);

/* page_tree_text -- the number of a text. */
uint32_t page_tree_text(struct page_tree *t, const char *text);

/* page_tree_place -- the number of a place. */
uint32_t page_tree_place(struct page_tree *t, const struct page_place *place);

/* page_tree_child -- the node of a place called by a node. */
uint32_t page_tree_child(struct page_tree *t, uint32_t parent, uint32_t place);

/* page_tree_free -- release everything. */
void page_tree_free(struct page_tree *t);

/* page_cut -- choose at most NODES nodes, and half as many again that stand for others.
 *
 * c  overwritten; page_cut_free() it.
 * Negative values (of threads that ran during a snapshot) count as nothing here.
 * Cost O(metrics * (nodes + sites)); 20 bytes per node of the tree meanwhile.
 */
void page_cut(struct page_cut *c, const struct page_tree *t, const struct page_sites *s,
	      uint32_t nodes);

/* page_cut_free -- release it. Fine for a zeroed struct. */
void page_cut_free(struct page_cut *c);
