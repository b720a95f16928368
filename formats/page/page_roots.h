/* page_roots.h -- What holds the heap, for a page: the member "holders".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/export.h"
#include "formats/page/page.h"
#include "profile/model/holder_groups.h"

/* The moments at which it was examined whether something holds the blocks. */
struct page_roots {
	struct holder_moments moments;
	struct holder_names names;
	struct holder_groups groups;
};

/* page_roots_init -- Reads the moments of E's image, with names. There may be none.
 *
 * r  overwritten; page_roots_free() it.
 */
void page_roots_init(struct page_roots *r, const struct export *e);

/* page_roots_put -- Writes the member "holders" if there is a moment.
 *
 * c  the nodes of the page, by which sites are named.
 * b  a quarter of its nodes is the most that a tree has: the largest, the others are added up.
 * The first and the last of many moments are written.
 */
void page_roots_put(struct page_json *j, const struct page_roots *r, const struct export *e,
		    const struct page_cut *c, const struct page_budget *b);

/* page_roots_free -- Releases everything. Accepts a zeroed struct. */
void page_roots_free(struct page_roots *r);
