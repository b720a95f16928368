/* page_groupings.c -- The four ways in which lists of a page group places.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_groupings.h"

#include <string.h>

const char *page_grouping_name(enum page_grouping grouping)
{
	static const char *const names[PAGE_GROUPINGS] = { "line", "function", "file", "object" };

	return names[grouping];
}

uint32_t page_grouping_key(struct triples *keys, const struct page_tree *t,
			   enum page_grouping grouping, uint32_t place)
{
	const struct page_place *p = &t->place[place];
	const char *name = strings_get(&t->strings, p->function);
	const bool is_nameless = !*name || strncmp(name, "0x", 2) == 0;

	switch (grouping) {
	case PAGE_BY_LINE:
		return is_nameless ? triples_add(keys, p->function, p->object, 0) :
				     triples_add(keys, p->function, p->file, p->line);
	case PAGE_BY_FUNCTION:
		return triples_add(keys, p->function, is_nameless ? p->object : p->file, 0);
	case PAGE_BY_FILE:
		return p->file ? triples_add(keys, p->file, 0, 0) :
				 triples_add(keys, 0, p->object, 0);
	case PAGE_BY_OBJECT:
	case PAGE_GROUPINGS: break;
	}
	return triples_add(keys, p->object, 0, 0);
}
