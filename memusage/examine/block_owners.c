/* block_owners.c -- Blocks that the dynamic linker or an allocator has for itself, by the code that
 * asked for them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/block_owners.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/examine/allocator_library.h"
#include "memusage/examine/heap_graph.h"
#include "memusage/examine/module_symbols.h"
#include "profile/symbols/allocrule.h"
#include "recording/family.h"

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

static const char *file_of_code(const struct snapshot *s, uint64_t pc)
{
	const struct area *a = pc ? address_space_find(&s->space, pc) : NULL;

	return a ? strrchr(a->name, '/') : NULL;
}

const char *block_owners_file(const struct snapshot *s, const struct heap_block *b)
{
	return file_of_code(s, b->is_announced ? 0 : caller_of_site(&s->image, b->site));
}

static const struct mu_signature *find_member(const struct mu_family *family, size_t count,
					      const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(name, family[i].name) == 0)
			return &family[i].signature;
	}
	return NULL;
}

static bool allocates_by_name(const char *name)
{
	const struct mu_signature *s = find_member(mu_family_libc, MU_FAMILY_LIBC, name);

	if (!s)
		s = find_member(mu_family_strings, MU_FAMILY_STRINGS, name);
	if (!s)
		s = allocrule_known(name);
	return s && s->fn != MU_FN_FREE;
}

/* jemalloc before 5.3 has an operator new that calls malloc as any program does: such blocks are
 * those of its caller. */
static bool allocates_for_caller(struct module_symbols *m, uint64_t pc)
{
	struct module_symbol symbol;
	bool answer;

	if (!module_symbols_find_export(m, pc - 1, &symbol))
		return false;
	answer = allocates_by_name(symbol.name);
	free(symbol.name);
	return answer;
}

static bool is_allocators_own(const struct snapshot *s, struct module_symbols *m, uint32_t site)
{
	const uint64_t pc = caller_of_site(&s->image, site);

	return allocator_library_is(file_of_code(s, pc)) && !allocates_for_caller(m, pc);
}

enum answer { UNKNOWN, NO, YES };

void block_owners_hold(struct pointer_graph *g, const struct snapshot *s)
{
	const uint64_t sites = image_count(&s->image, MU_SEC_SITES);
	struct module_symbols symbols;
	uint8_t *known; /* enum answer, by site */

	if (!allocator_library_is_mapped(&s->space))
		return;
	known = xcalloc(sites + 1, 1);
	module_symbols_open(&symbols, s);
	for (uint32_t i = 0; i < s->blocks.count; i++) {
		const struct heap_block *b = &s->blocks.block[i];
		uint8_t *answer = &known[b->site < sites ? b->site : sites];

		if (*answer == UNKNOWN)
			*answer = is_allocators_own(s, &symbols, b->site) ? YES : NO;
		if (*answer == YES && !b->is_announced)
			pointer_graph_scan_root(g, HEAP_GRAPH_TLS, 0, &b->start, 1);
	}
	module_symbols_close(&symbols);
	free(known);
}
