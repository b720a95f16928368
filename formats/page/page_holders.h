/* page_holders.h -- Nodes of a page that can stand for others: memory of the same place nearby.
 *
 * A page that shows a moment adds small nodes up. They must not change who held the memory, so they
 * are added to a node of the same place, with as many callers in common as possible.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "formats/page/page_tree.h"

/* Groups of nodes: those of group 0 have most callers in common, those of the last one none. */
enum { PAGE_GROUPS = 5 };

struct page_holders {
	uint32_t *first[PAGE_GROUPS];	/* of each node: the first node of its group */
};

/* page_holders_init -- Finds the groups of all nodes of a cut tree.
 *
 * h  overwritten; the caller calls page_holders_free().
 * Nodes that have equal numbers in a group have them in all later ones. Cost O(nodes * log(nodes)).
 */
void page_holders_init(struct page_holders *h, const struct page_tree *t, const struct page_cut *c);

/* page_holders_places -- Returns the place that lists name for each node's memory, to be freed.
 *
 * c  0 is no place: a node that stands for others has none. Its flags may be NULL: none has.
 * Cost O(nodes * depth).
 */
uint32_t *page_holders_places(const struct page_tree *t, const struct page_cut *c);

/* page_holders_free -- Releases them. Accepts a zeroed struct. */
void page_holders_free(struct page_holders *h);
