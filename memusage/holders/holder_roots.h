/* holder_roots.h -- What outside of blocks holds them: variables, frames of stacks, mappings.
 *
 * A leak check asks only whether a root has a pointer; here each pointer belongs to something that
 * has a name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/heap_graph.h"
#include "profile/base/strings.h"
#include "profile/graph/holding.h"
#include "recording/holders.h"

struct holder_roots {
	struct mu_holder_root *root; /* `name` and `object` are numbers of `texts` */
	uint8_t *rank;		     /* for struct holding_roots, as are nests */
	struct holding_nest *nest;
	uint32_t count, room;
	uint32_t *of_pointer;	     /* root of each pointer of the graph's `root` */
	struct strings texts;
};

/* holder_roots_find -- Finds the roots of all pointers from outside of blocks.
 *
 * g  of S.
 * Cost O(pointers * log(pointers)), and reading the symbol tables of the objects that have some.
 */
void holder_roots_find(struct holder_roots *r, const struct snapshot *s,
		       const struct heap_graph *g);

/* holder_roots_free -- Releases everything. Accepts a zeroed struct. */
void holder_roots_free(struct holder_roots *r);
