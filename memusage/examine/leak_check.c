/* leak_check.c -- Examines a process: which of its blocks are lost.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/leak_check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/common/asked_checks.h"
#include "memusage/examine/examination.h"
#include "memusage/examine/heap_graph.h"
#include "profile/graph/leak_heuristics.h"
#include "profile/graph/leak_losses.h"

/* ---- interior pointers ------------------------------------------------------------------ */

struct explainer {
	const struct snapshot *s;
	struct leak_memory memory;
	unsigned int heuristics;
};

static unsigned int read_words(void *data, uint64_t address, uint64_t *word, unsigned int count)
{
	const struct snapshot *s = data;

	return (unsigned int)(address_space_read(&s->space, address, word, count * 8) / 8);
}

static bool is_code(void *data, uint64_t address)
{
	const struct snapshot *s = data;
	const struct area *a = address_space_find(&s->space, address);

	return a && a->flags & AREA_CODE && a->flags & AREA_FILE;
}

static bool is_file(void *data, uint64_t address)
{
	const struct snapshot *s = data;
	const struct area *a = address_space_find(&s->space, address);

	return a && a->flags & AREA_FILE;
}

/* The address of the code that asked for the blocks of a site; 0 if unknown. */
static uint64_t caller_of_site(const struct image *im, uint32_t number)
{
	struct mu_site site;
	struct mu_stack stack;
	struct mu_frame frame;

	return image_copy_entry(im, MU_SEC_SITES, number, &site, sizeof(site)) &&
			       image_copy_entry(im, MU_SEC_STACKS, site.stack, &stack,
						sizeof(stack)) &&
			       image_copy_entry(im, MU_SEC_FRAMES, stack.frame, &frame,
						sizeof(frame)) ?
		       frame.pc : 0;
}

/* The dynamic linker keeps no pointers but interior ones to some of its tables. */
static bool is_linkers_block(const struct snapshot *s, const struct heap_block *b)
{
	const uint64_t pc = b->is_announced ? 0 : caller_of_site(&s->image, b->site);
	const struct area *a = pc ? address_space_find(&s->space, pc) : NULL;
	const char *base = a ? strrchr(a->name, '/') : NULL;

	return base && (strncmp(base, "/ld-", 4) == 0 || strncmp(base, "/ld.so", 6) == 0);
}

static uint8_t explain_pointer(void *data, uint32_t block, uint64_t offset)
{
	struct explainer *e = data;
	const struct heap_block *b = &e->s->blocks.block[block];

	if (is_linkers_block(e->s, b))
		return LEAK_EXPLAINED;
	return e->heuristics ?
		       (uint8_t)leak_heuristics_explain(&e->memory, e->heuristics, b, offset) : 0;
}

/* ---- the check -------------------------------------------------------------------------- */

static struct mu_leak_check *pack_result(const struct snapshot *s, const struct leak_losses *l,
					 bool is_incomplete)
{
	struct mu_leak_check *c = xmalloc(sizeof(*c) + l->count * sizeof(*c->loss));

	*c = (struct mu_leak_check){
		.mono_ns = s->mono_ns,
		.pause_ns = s->pause_ns,
		.count = l->count,
		.flags = (s->tracee.copy > 0 ? 0u : MU_LEAK_CHECK_STOPPED) |
			 (is_incomplete ? MU_LEAK_CHECK_CUT : 0u),
	};
	if (l->count > 0)
		memcpy(c->loss, l->loss, l->count * sizeof(*c->loss));
	return c;
}

static void *find_losses(struct snapshot *s, const void *options, struct mu_error *err)
{
	const struct leak_check_options *o = options;
	struct explainer e = { .s = s, .heuristics = o->heuristics,
			       .memory = { s, read_words, is_code, is_file } };
	struct mu_leak_check *result;
	struct leak_marks marks;
	struct leak_losses losses;
	struct heap_graph g;

	(void)err;
	heap_graph_build(&g, s);
	leak_marks_find(&marks, &g.pointers, explain_pointer, &e);
	leak_losses_add_up(&losses, &s->blocks, &marks);
	result = pack_result(s, &losses, g.is_incomplete);
	leak_losses_free(&losses);
	leak_marks_free(&marks);
	heap_graph_free(&g);
	return result;
}

static uint64_t count_bytes(const void *result)
{
	return asked_checks_bytes(result);
}

const struct examination leak_check = {
	.file_name = "memusage-leaks",
	.unfinished = "the check did not come to its end",
	.least = sizeof(struct mu_leak_check),
	.most = UINT64_C(1) << 30,
	.examine = find_losses,
	.count_bytes = count_bytes,
};
