/* root_sets.h -- Which roots together hold the blocks that no single one holds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/graph/holding.h"
#include "recording/holders.h"

#define ROOT_SETS_NONE UINT32_MAX

struct root_sets {
	struct mu_holder_set *set; /* no two are equal */
	uint32_t count, room;
	uint32_t *of; /* by number of struct dominators: of a block whose immediate dominator is the
		       * entry; else ROOT_SETS_NONE */
};

/* root_sets_find -- Finds the sets.
 *
 * The set of a block has all roots from which a path leads to it.
 *
 * d  of h->graph.
 * Cost 5 to 100 ns for each block.
 */
void root_sets_find(struct root_sets *s, const struct holding *h, const struct dominators *d);

/* root_sets_free -- Releases everything. Accepts a zeroed struct. */
void root_sets_free(struct root_sets *s);
