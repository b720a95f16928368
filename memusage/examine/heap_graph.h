/* heap_graph.h -- The graph of all pointers of a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/roots.h"
#include "profile/graph/pointer_graph.h"

/* Number of a root that is none of struct roots: the table of a thread's dynamic TLS. */
#define HEAP_GRAPH_TLS (UINT32_MAX - 1)

struct heap_graph {
	/* Roots are numbers of roots.root, or HEAP_GRAPH_TLS. The place of a pointer in a register
	 * is 8 times its number in tracee_pointers(), beyond those of an extended one. */
	struct pointer_graph pointers;
	struct roots roots;
	bool is_incomplete; /* some memory could not be read */
};

/* heap_graph_build -- Reads the memory of a snapshot and makes the graph.
 *
 * s  borrowed; its memory must not change meanwhile.
 * Cost 30 to 100 ns for each block, 0.3 s for each GB.
 */
void heap_graph_build(struct heap_graph *g, const struct snapshot *s);

/* heap_graph_free -- Releases everything. Accepts a zeroed struct. */
void heap_graph_free(struct heap_graph *g);
