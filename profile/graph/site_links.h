/* site_links.h -- Which sites' blocks, and which roots, hold blocks of which sites.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "profile/graph/block_set.h"
#include "profile/graph/holding.h"
#include "recording/holders.h"

struct site_links {
	struct mu_holder_link *link; /* most pointers first */
	uint32_t count;
	bool is_cut; /* there are more */
};

/* site_links_find -- Counts the pointers of a graph by what they lead from and to.
 *
 * blocks  those of the graph: their sites are below UINT32_MAX.
 * most    links that are kept.
 * Cost 5 to 30 ns for each pointer, and up to 64 bytes for each link.
 */
void site_links_find(struct site_links *l, const struct holding *h, const struct block_set *blocks,
		     uint32_t most);

/* site_links_free -- Releases everything. Accepts a zeroed struct. */
void site_links_free(struct site_links *l);
