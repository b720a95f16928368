/* page_residents.h -- What keeps the heap resident, for a page: the member "fragmentation".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/export.h"
#include "formats/page/page.h"
#include "formats/page/page_stacks.h"

/* page_residents_put -- Writes the member if the pages of E's image were examined.
 *
 * s  the stacks of E; c  of their tree.
 * For each grouping the 100 places with most slack are listed, the others are added up.
 */
void page_residents_put(struct page_json *j, const struct export *e, const struct page_stacks *s,
			const struct page_cut *c);
