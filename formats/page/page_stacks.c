/* page_stacks.c -- the tree of a report page from the stacks of a profile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/stack_import.h"
#include "profile/model/runtime_frames.h"

#define NOT_YET UINT32_MAX

/* Nodes of frames, so that each frame is walked once, however many stacks it is on. */
struct stacks_builder {
	struct page_tree *tree;
	const struct profile *profile;
	uint32_t *node;		/* per frame: after its innermost level; NOT_YET */
	uint32_t *text;		/* per text of symbols: number in the page's strings */
	uint32_t *chain;	/* frames of one stack that have no node yet */
	uint32_t *object;	/* per module */
	struct runtime_frames runtime;
};

static uint32_t number_of_text(struct stacks_builder *t, uint32_t number)
{
	if (number == 0 || number > t->profile->symbols.strings.count)
		return 0;
	if (t->text[number] == 0)
		t->text[number] = page_tree_text(t->tree,
						 symbols_text(&t->profile->symbols, number));
	return t->text[number];
}

/* Without a name: the address in the file, which is the same in every run. */
static uint32_t number_of_address_text(struct stacks_builder *t, const struct location *l)
{
	uint64_t bias = l->module < t->profile->modules.count ?
				t->profile->modules.module[l->module].bias : 0;
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, l->pc - 1 - bias);
	return page_tree_text(t->tree, text);
}

static uint32_t flags_of_place(const struct stacks_builder *t, uint32_t frame, uint32_t level,
			       bool is_inlined)
{
	const enum runtime_kind kind = runtime_frames_kind(&t->runtime, frame, level);
	uint32_t flags = is_inlined ? PAGE_INLINED : 0;

	if (runtime_frames_hides(&t->runtime, kind))
		flags |= kind < RUNTIME_LIBRARY ? PAGE_RUNTIME | PAGE_AGENT : PAGE_RUNTIME;
	return flags;
}

static bool is_merged(const struct stacks_builder *t, const struct symbols_level *level)
{
	return level->full == STACK_IMPORT_MERGED &&
	       strcmp(symbols_text(&t->profile->symbols, level->full),
		      STACK_IMPORT_MERGED_TEXT) == 0;
}

static uint32_t add_frame_nodes(struct stacks_builder *t, uint32_t parent, uint32_t frame)
{
	const uint32_t location = t->profile->frame[frame].location;
	const struct location *l = &t->profile->location[location];
	uint32_t count;
	const struct symbols_level *level = profile_levels(t->profile, location, &count);
	uint32_t object = l->module < t->profile->modules.count ? t->object[l->module] : 0;

	if (count == 0) {
		const struct page_place p = {
			.function = number_of_address_text(t, l), .object = object,
			.flags = flags_of_place(t, frame, 0, false),
		};

		return page_tree_child(t->tree, parent,
				       page_tree_place(t->tree, &p));
	}
	for (uint32_t i = count; i-- > 0;) {
		const struct page_place p = {
			.function = level[i].full ? number_of_text(t, level[i].full) :
						    number_of_address_text(t, l),
			.file = number_of_text(t, level[i].file),
			.line = level[i].line,
			.object = object,
			.flags = flags_of_place(t, frame, i, i + 1 < count) |
				 (is_merged(t, &level[i]) ? PAGE_MERGED : 0),
		};

		parent = page_tree_child(t->tree, parent,
					 page_tree_place(t->tree, &p));
	}
	return parent;
}

static uint32_t add_stack_nodes(struct stacks_builder *t, const struct filtered *stack)
{
	uint32_t frame = stack->frame, depth = 0, node = 0;

	while (frame && depth < stack->count && t->node[frame] == NOT_YET) {
		t->chain[depth++] = frame;
		frame = t->profile->frame[frame].parent;
	}
	if (frame && depth < stack->count)
		node = t->node[frame];
	while (depth-- > 0) {
		frame = t->chain[depth];
		node = add_frame_nodes(t, node, frame);
		t->node[frame] = node;
	}
	return node;
}

static void init_builder(struct stacks_builder *t, struct page_tree *tree, const struct profile *p)
{
	*t = (struct stacks_builder){ .tree = tree, .profile = p };
	t->node = xreallocarray(NULL, (size_t)p->frame_count + 1, sizeof(*t->node));
	t->text = xcalloc((size_t)p->symbols.strings.count + 1, sizeof(*t->text));
	t->chain = xreallocarray(NULL, PROFILE_DEPTH_MAX, sizeof(*t->chain));
	t->object = xcalloc((size_t)p->modules.count + 1, sizeof(*t->object));
	runtime_frames_init(&t->runtime, p);
	memset(t->node, 0xff, ((size_t)p->frame_count + 1) * sizeof(*t->node));
	for (uint32_t i = 0; i < p->modules.count; i++)
		t->object[i] = page_tree_text(tree, p->modules.module[i].path);
}

static void free_builder(struct stacks_builder *t)
{
	free(t->node);
	free(t->text);
	free(t->chain);
	free(t->object);
	runtime_frames_free(&t->runtime);
}

void page_stacks_init(struct page_stacks *s, const struct filter *f)
{
	const struct sites *sites = &f->profile->sites;
	struct stacks_builder t;

	page_tree_init(&s->tree);
	s->node = xcalloc((size_t)sites->count + 1, sizeof(*s->node));
	s->standing = xcalloc((size_t)sites->count + 1, 1);
	init_builder(&t, &s->tree, f->profile);
	for (uint32_t i = 0; i < sites->count; i++) {
		struct filtered stack;

		if (!sites_is_counted(&sites->site[i]))
			continue;
		stack = filter_stack(f, sites->site[i].stack);
		if (stack.count > PROFILE_DEPTH_MAX)
			stack.count = PROFILE_DEPTH_MAX;
		s->standing[i] = stack.is_ignored ? PAGE_IN_MOMENTS : PAGE_SHOWN;
		s->node[i] = stack.is_ignored ? 0 : add_stack_nodes(&t, &stack);
	}
	free_builder(&t);
}

void page_stacks_free(struct page_stacks *s)
{
	page_tree_free(&s->tree);
	free(s->node);
	free(s->standing);
	s->node = NULL;
	s->standing = NULL;
}
