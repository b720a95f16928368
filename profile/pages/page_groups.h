/* page_groups.h -- Pages of the heap, added up by the sites that have live blocks there.
 *
 * A page whose blocks are all of one place goes back when that place frees them. Which sites are
 * one place is only known when they have names, so pages with the same sites are counted together,
 * and nothing is lost that the places need.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "recording/pages.h"

struct page_groups {
	struct mu_page_group *group;
	struct mu_page_use *use;
	uint32_t count, uses;
	uint32_t room, use_room; /* private, as the rest */
	uint32_t *slot;		 /* number of a group + 1, 0 free; by the hash of its sites */
	uint32_t slots;		 /* a power of two, or 0 */
};

/* page_groups_add -- Adds a page.
 *
 * use        its COUNT sites, ascending, each once, with their live bytes there.
 * slack      the other bytes of the page.
 * is_sparse  less than a tenth of it is live.
 * Cost 50 ns, and 5 ns for each site.
 */
void page_groups_add(struct page_groups *g, const struct mu_page_use *use, uint32_t count,
		     uint64_t slack, bool is_sparse);

/* page_groups_limit -- Makes all groups together name at most MOST sites, if there are more.
 *
 * The groups of several sites that have least slack become one, the last, so that all sums stay.
 * Groups of one site stay as they are, even if they are more than MOST.
 * Returns whether groups became one. Call it once, at the end.
 */
bool page_groups_limit(struct page_groups *g, uint32_t most);

/* page_groups_free -- Releases everything. Accepts a zeroed struct. */
void page_groups_free(struct page_groups *g);
