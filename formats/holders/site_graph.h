/* site_graph.h -- What holds what, by place, as a graph: for graphviz, and as JSON.
 *
 * Vertices are roots and places (lines of functions, apart by type); links are pointers that hold.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "profile/model/filter.h"
#include "profile/model/holder_groups.h"

struct site_vertex {
	uint32_t kind;	/* MU_HOLDER_ROOT or MU_HOLDER_SITE */
	uint32_t what;	/* the root, or a site of the place */
	char *text;	/* "cache in a.out", "fill (cache.c:12)" */
	uint64_t bytes, blocks;	/* of its own; 0 of a place that is too small to be in the tree */
	uint64_t retained;	/* bytes, with all that only it holds */
};

struct site_link {
	uint32_t from, to; /* vertices */
	uint64_t pointers;
};

/* The last moment that was examined. */
struct site_graph {
	struct holder_moments moments;
	struct holder_names names;
	struct holder_groups groups;
	const struct holders *h;
	struct site_vertex *vertex;
	uint32_t count;
	struct site_link *link; /* most pointers first */
	uint32_t links;
	uint64_t live;		/* bytes of all blocks */
};

/* site_graph_build -- Reads what held the blocks of an image.
 *
 * f    of its profile, with names.
 * pid  of the process.
 * Returns false if it was not examined; release G in either case.
 * Cost O(nodes + links), and that of the names.
 */
bool site_graph_build(struct site_graph *g, const struct image *im, const struct filter *f,
		      uint32_t pid);

/* site_graph_write_json -- Writes the document "memusage-graph"; docs/json.md.
 *
 * version  of memusage; command  of the process, may be hostile.
 */
void site_graph_write_json(FILE *out, const struct site_graph *g, const struct image *im,
			   const char *version, uint32_t pid, const char *command);

/* site_graph_write_dot -- Writes the graph in the language of graphviz.
 *
 * threshold  percent of the live heap: what retains less is left out.
 */
void site_graph_write_dot(FILE *out, const struct site_graph *g, double threshold);

/* site_graph_free -- Releases everything. Accepts a zeroed struct. */
void site_graph_free(struct site_graph *g);
