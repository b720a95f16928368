/* unwound.c -- how many call stacks of an image do not tell the whole story.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/unwound.h"

#include <stdbool.h>
#include <stddef.h>

#include "recording/recording.h"

/* The flags of a site's stack; 0 of one that is damaged. */
static uint32_t flags_of_stack(const struct image *im, uint64_t number)
{
	const size_t known = offsetof(struct mu_site, point);
	struct mu_stack stack;
	struct mu_site site;

	if (!image_copy_entry(im, MU_SEC_SITES, number, &site, known) ||
	    !image_copy_entry(im, MU_SEC_STACKS, site.stack, &stack, sizeof(stack)))
		return 0;
	return stack.flags;
}

static void count_unwound_kind(struct unwound *u, uint32_t flags, uint64_t stacks, uint64_t blocks)
{
	bool is_truncated = flags & MU_STACK_TRUNCATED;
	struct unwound_count *kind[] = {
		&u->all, is_truncated ? &u->truncated : NULL,
		flags & MU_STACK_CUT ? &u->cut : NULL,
		flags & MU_STACK_NO_CFI && !is_truncated ? &u->guessed : NULL,
	};

	for (size_t i = 0; i < sizeof(kind) / sizeof(*kind); i++) {
		if (!kind[i])
			continue;
		kind[i]->stacks += stacks;
		kind[i]->blocks += blocks;
	}
}

void unwound_take(struct unwound *u, const struct image *im)
{
	uint64_t sites = image_count(im, MU_SEC_SITES);
	uint64_t cells = image_count(im, MU_SEC_CELLS);

	*u = (struct unwound){ .all.stacks = 0 };
	if (!(im->head.features & MU_FEATURE(MU_SEC_STACKS)))
		return;
	for (uint64_t i = 1; i < sites; i++)
		count_unwound_kind(u, flags_of_stack(im, i), 1, 0);
	if (u->truncated.stacks + u->cut.stacks + u->guessed.stacks == 0)
		return;
	for (uint64_t i = 0; i < cells; i++) {
		struct mu_cell cell;

		if (!image_copy_entry(im, MU_SEC_CELLS, i, &cell, sizeof(cell)))
			return;
		if (cell.site == 0 || cell.site >= sites ||
		    cell.flags & (MU_CELL_MASSIF | MU_CELL_ERROR))
			continue;
		if (im->head.sampling.log2)
			cell.total_blocks = (uint64_t)mu_sample_blocks(
				cell.site, (int64_t)cell.total_blocks);
		count_unwound_kind(u, flags_of_stack(im, cell.site), 0, cell.total_blocks);
	}
}
