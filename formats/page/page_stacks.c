/* page_stacks.c -- the tree of a report page from stacks of texts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/massif_convert.h"
#include "profile/base/array.h"
#include "profile/model/shortname.h"

enum { NAME_BYTES = 1 << 16 };

bool page_stacks_init(struct page_stacks *s, uint32_t texts)
{
	*s = (struct page_stacks){ .sites = 0 };
	page_tree_init(&s->tree);
	s->place = calloc((size_t)texts + 1, sizeof(*s->place));
	return s->place && !s->tree.is_full;
}

static uint32_t number_of_piece(struct page_stacks *s, const char *text, int length)
{
	return length > 0 ? strings_add(&s->tree.strings, text, (size_t)length) : 0;
}

/* The frames that Valgrind puts before malloc's caller are no places of the program. */
static bool is_valgrind_place(const struct page_stacks *s, const struct page_place *p)
{
	return strstr(strings_get(&s->tree.strings, p->file), "vg_replace_malloc.c") ||
	       strstr(strings_get(&s->tree.strings, p->object), "vgpreload_");
}

static uint32_t parse_place_text(struct page_stacks *s, const char *text, char *buffer)
{
	struct massif_place at = massif_place(text);
	struct page_place p = {
		.file = number_of_piece(s, at.file, at.file_length),
		.line = at.line,
		.object = number_of_piece(s, at.object, at.object_length),
	};
	const struct strings *pool = &s->tree.strings;

	if (at.function_length > 0) {
		p.function = number_of_piece(s, at.function, at.function_length);
	} else if (at.address) {
		snprintf(buffer, NAME_BYTES, "0x%" PRIx64, at.address);
		p.function = page_tree_text(&s->tree, buffer);
	} else {
		p.function = page_tree_text(&s->tree, massif_place_name(&at, buffer, NAME_BYTES));
	}
	if (is_valgrind_place(s, &p) || shortname_is_wrapper(strings_get(pool, p.function)) ||
	    shortname_is_runtime(strings_get(pool, p.function), strings_get(pool, p.file),
				 strings_get(pool, p.object)))
		p.flags |= PAGE_RUNTIME;
	return page_tree_place(&s->tree, &p);
}

uint32_t page_stacks_place(struct page_stacks *s, uint32_t number, const char *text)
{
	char *buffer;

	if (s->place[number])
		return s->place[number] - 1;
	buffer = malloc(NAME_BYTES);
	if (!buffer) {
		s->tree.is_full = true;
		return 0;
	}
	s->place[number] = parse_place_text(s, text, buffer) + 1;
	free(buffer);
	return s->place[number] - 1;
}

static bool room_for_node(struct page_stacks *s, uint32_t node)
{
	uint32_t before = s->site_room;

	if (!array_reserve(&s->site_of, &s->site_room, (size_t)node + 1, sizeof(*s->site_of)))
		return false;
	memset(s->site_of + before, 0, (s->site_room - before) * sizeof(*s->site_of));
	return true;
}

static bool room_for_site(struct page_stacks *s)
{
	return array_reserve(&s->node, &s->room, (size_t)s->sites + 1, sizeof(*s->node));
}

uint32_t page_stacks_site(struct page_stacks *s, uint32_t node)
{
	if (!room_for_node(s, node))
		return PAGE_STACKS_NONE;
	if (s->site_of[node])
		return s->site_of[node] - 1;
	if (!room_for_site(s))
		return PAGE_STACKS_NONE;
	s->node[s->sites] = node;
	s->site_of[node] = ++s->sites;
	return s->sites - 1;
}

void page_stacks_free(struct page_stacks *s)
{
	page_tree_free(&s->tree);
	free(s->place);
	free(s->node);
	free(s->site_of);
	*s = (struct page_stacks){ .sites = 0 };
}
