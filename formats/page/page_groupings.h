/* page_groupings.h -- The four ways in which lists of a page group places.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/base/triples.h"
#include "formats/page/page_tree.h"

enum page_grouping {
	PAGE_BY_LINE, PAGE_BY_FUNCTION, PAGE_BY_FILE, PAGE_BY_OBJECT, PAGE_GROUPINGS
};

/* page_grouping_name -- Returns its name in the page: "line", "function", "file", "object". */
const char *page_grouping_name(enum page_grouping grouping);

/* page_grouping_key -- Returns the number of the group of a place, as groupId() in
 * page/src/groups.js.
 *
 * keys   of this grouping; zeroed before the first call.
 * place  of T.
 */
uint32_t page_grouping_key(struct triples *keys, const struct page_tree *t,
			   enum page_grouping grouping, uint32_t place);
