/* header_offsets.c -- Constant offsets: blocks with a header of their library, which keeps pointers
 * behind it only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/header_offsets.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/graph/leak_marks.h"

/* ---- offsets of each block -------------------------------------------------------------- */

static void note_offset(uint64_t *offsets, uint32_t pointer, uint64_t offset)
{
	if (pointer & POINTER_INTERIOR && offset < HEADER_OFFSET_MOST)
		offsets[POINTER_TARGET(pointer)] |= UINT64_C(1) << offset;
}

/* Returns the offsets of all blocks, as in struct header_site. */
static uint64_t *collect_offsets(const struct pointer_graph *g)
{
	uint64_t *offsets = xcalloc((size_t)g->blocks->count + 1, sizeof(*offsets));

	for (uint64_t i = 0; i < g->roots; i++)
		note_offset(offsets, g->root[i].to, g->root[i].offset);
	for (uint64_t i = 0; i < g->interiors; i++)
		note_offset(offsets, g->to[g->interior[i].pointer], g->interior[i].offset);
	return offsets;
}

/* ---- offsets of each site --------------------------------------------------------------- */

static int compare_sites(const void *a, const void *b)
{
	const struct header_site *x = a, *y = b;

	return (x->site > y->site) - (x->site < y->site);
}

/* Returns the offsets that enough of COUNT blocks, all of one site, have. */
static uint64_t find_common_offsets(const struct header_site *block, uint32_t count)
{
	uint32_t blocks_at[HEADER_OFFSET_MOST] = { 0 };
	uint64_t common = 0;

	for (uint32_t i = 0; i < count; i++) {
		for (uint64_t left = block[i].offsets; left; left &= left - 1)
			blocks_at[__builtin_ctzll(left)]++;
	}
	for (unsigned int offset = 1; offset < HEADER_OFFSET_MOST; offset++) {
		if (UINT64_C(100) * blocks_at[offset] >= (uint64_t)HEADER_SHARE_PCT * count)
			common |= UINT64_C(1) << offset;
	}
	return common;
}

/* Puts the sites that have an offset in the place of their blocks. */
static void join_sites(struct header_offsets *h, uint32_t blocks)
{
	for (uint32_t i = 0, next; i < blocks; i = next) {
		const uint32_t site = h->site[i].site;
		uint64_t common = 0;

		for (next = i; next < blocks && h->site[next].site == site; next++)
			;
		if (next - i >= HEADER_BLOCKS_LEAST)
			common = find_common_offsets(&h->site[i], next - i);
		if (common)
			h->site[h->count++] = (struct header_site){ site, common };
	}
}

void header_offsets_find(struct header_offsets *h, const struct pointer_graph *g,
			 const uint8_t *kind)
{
	uint64_t *offsets = collect_offsets(g);
	uint32_t blocks = 0, possible = 0;

	for (uint32_t i = 0; i < g->blocks->count; i++)
		possible += kind[i] == LEAK_POSSIBLE;
	*h = (struct header_offsets){ .site = xcalloc((size_t)possible + 1, sizeof(*h->site)) };
	for (uint32_t i = 0; i < g->blocks->count; i++) {
		if (kind[i] == LEAK_POSSIBLE)
			h->site[blocks++] = (struct header_site){ g->blocks->block[i].site,
								  offsets[i] };
	}
	free(offsets);
	qsort(h->site, blocks, sizeof(*h->site), compare_sites);
	join_sites(h, blocks);
}

bool header_offsets_has(const struct header_offsets *h, uint32_t site, uint64_t offset)
{
	const struct header_site key = { .site = site };
	const struct header_site *found;

	if (offset >= HEADER_OFFSET_MOST || h->count == 0)
		return false;
	found = bsearch(&key, h->site, h->count, sizeof(key), compare_sites);
	return found && found->offsets >> offset & 1;
}

void header_offsets_free(struct header_offsets *h)
{
	free(h->site);
	*h = (struct header_offsets){ .count = 0 };
}
