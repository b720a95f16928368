/* page_stacks.c -- the tree of a report page from stacks of texts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/massif_convert.h"
#include "profile/base/array.h"
#include "profile/model/runtime_rule.h"

enum { NAME_BYTES = 1 << 16 };

void page_stacks_init(struct page_stacks *s, uint32_t texts, bool hides_runtime)
{
	*s = (struct page_stacks){ .hides_runtime = hides_runtime };
	page_tree_init(&s->tree);
	s->place = xcalloc((size_t)texts + 1, sizeof(*s->place));
}

static uint32_t number_of_piece(struct page_stacks *s, const char *text, int length)
{
	return length > 0 ? strings_add(&s->tree.strings, text, (size_t)length) : 0;
}

static enum runtime_kind kind_of_place(const struct page_stacks *s, const struct page_place *p)
{
	const struct strings *pool = &s->tree.strings;

	return runtime_rule_kind(strings_get(pool, p->function), strings_get(pool, p->file),
				 strings_get(pool, p->object));
}

static uint32_t parse_place_text(struct page_stacks *s, const char *text, char *buffer)
{
	struct massif_place at = massif_place(text);
	struct page_place p = {
		.file = number_of_piece(s, at.file, at.file_length),
		.line = at.line,
		.object = number_of_piece(s, at.object, at.object_length),
	};
	enum runtime_kind kind;

	if (at.function_length > 0) {
		p.function = number_of_piece(s, at.function, at.function_length);
	} else if (at.address) {
		snprintf(buffer, NAME_BYTES, "0x%" PRIx64, at.address);
		p.function = page_tree_text(&s->tree, buffer);
	} else {
		p.function = page_tree_text(&s->tree, massif_place_name(&at, buffer, NAME_BYTES));
	}
	kind = kind_of_place(s, &p);
	if (kind >= RUNTIME_EVALUATOR)
		p.flags |= kind < RUNTIME_LIBRARY ? PAGE_RUNTIME | PAGE_AGENT : PAGE_RUNTIME;
	if (kind == RUNTIME_EVALUATOR)
		p.flags |= PAGE_EVALUATOR;
	return page_tree_place(&s->tree, &p);
}

uint32_t page_stacks_place(struct page_stacks *s, uint32_t number, const char *text)
{
	char *buffer;

	if (s->place[number])
		return s->place[number] - 1;
	buffer = xmalloc(NAME_BYTES);
	s->place[number] = parse_place_text(s, text, buffer) + 1;
	free(buffer);
	return s->place[number] - 1;
}

/* A name that has neither source nor object is that of code made at run time, but for the root,
 * what was merged, and addresses. */
static bool has_program_names(const struct page_stacks *s)
{
	for (uint32_t i = 1; i < s->tree.place_count; i++) {
		const struct page_place *p = &s->tree.place[i];
		const char *name = strings_get(&s->tree.strings, p->function);

		if (!p->file && !p->object && *name && !strchr("[(", *name) &&
		    strncmp(name, "0x", 2) != 0 && strncmp(name, "in ", 3) != 0 &&
		    kind_of_place(s, p) == RUNTIME_NOT)
			return true;
	}
	return false;
}

void page_stacks_mark_interpreter(struct page_stacks *s)
{
	s->has_program_names = has_program_names(s);
	if (!s->has_program_names)
		return;
	for (uint32_t i = 1; i < s->tree.place_count; i++)
		if (kind_of_place(s, &s->tree.place[i]) == RUNTIME_INTERPRETER)
			s->tree.place[i].flags |= PAGE_RUNTIME | PAGE_AGENT;
}

/* Returns the place that a stack of run-times only keeps. */
static uint32_t choose_place(const struct page_stacks *s, const uint32_t *place, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (s->tree.place[place[i]].flags & PAGE_AGENT)
			return place[i];
	return place[0];
}

/* Returns the place of a level, which is another one for a constructor that a script called, as in
 * profile/model/runtime_frames.c. CALLER is NULL for the outermost level. */
static uint32_t place_of_level(struct page_stacks *s, uint32_t place, const uint32_t *caller)
{
	struct page_place p = s->tree.place[place];
	const struct page_place *from = caller ? &s->tree.place[*caller] : NULL;

	if (s->has_program_names || !from || !(from->flags & PAGE_EVALUATOR) ||
	    p.flags != PAGE_RUNTIME || p.object != from->object ||
	    runtime_rule_is_wrapper(strings_get(&s->tree.strings, p.function)))
		return place;
	p.flags = 0;
	return page_tree_place(&s->tree, &p);
}

uint32_t page_stacks_add(struct page_stacks *s, const uint32_t *place, size_t count)
{
	uint32_t node = 0;

	for (size_t i = count; i-- > 0;) {
		uint32_t at = place_of_level(s, place[i], i + 1 < count ? &place[i + 1] : NULL);

		if (!s->hides_runtime || !(s->tree.place[at].flags & PAGE_RUNTIME))
			node = page_tree_child(&s->tree, node, at);
	}
	if (node == 0 && count > 0)
		node = page_tree_child(&s->tree, 0, choose_place(s, place, count));
	return node;
}

uint32_t page_stacks_site(struct page_stacks *s, uint32_t node)
{
	uint32_t before = s->site_room;

	array_reserve(&s->site_of, &s->site_room, (size_t)node + 1, sizeof(*s->site_of));
	memset(s->site_of + before, 0, (s->site_room - before) * sizeof(*s->site_of));
	if (s->site_of[node])
		return s->site_of[node] - 1;
	array_reserve(&s->node, &s->room, (size_t)s->sites + 1, sizeof(*s->node));
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
