/* holder_places.h -- What holds the heap, by the places of a report and with names.
 *
 * The recording has trees of sites, which are whole call stacks. Here sites of one place whose
 * blocks are of one type are one, also where one is found below the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/model/holder_names.h"
#include "profile/read/holders.h"

#define HOLDER_PLACES_OTHER UINT32_MAX /* the place of sites that have none */

struct holder_node {
	uint32_t parent; /* a smaller number */
	uint32_t kind;	 /* enum mu_holder_node_kind */
	uint32_t what;	 /* a root or a set of the moment; a place or HOLDER_PLACES_OTHER */
	uint32_t site;	 /* of a place: one of its sites, for the type */
	uint32_t type;	 /* its number, 0 none */
	uint64_t bytes, blocks;		/* of its own */
	uint64_t all_bytes, all_blocks; /* with what is below it */
};

struct holder_places {
	struct holder_node *node; /* node 0 is the heap */
	uint32_t count;
};

/* holder_places_build -- Folds a tree by place and type.
 *
 * node    COUNT of them, one of the trees of a moment.
 * number  the place of each of n->sites sites.
 */
void holder_places_build(struct holder_places *l, const struct mu_holder_node *node,
			 uint32_t count, const uint32_t *number, const struct holder_names *n);

/* holder_places_children -- Lists the children of a node, the largest first.
 *
 * child  overwritten; room for l->count.
 * Returns how many there are.
 */
uint32_t holder_places_children(const struct holder_places *l, uint32_t node, uint32_t *child);

/* holder_places_free -- Releases everything. Accepts a zeroed struct. */
void holder_places_free(struct holder_places *l);
