/* thinning.c -- giving up some of the live sampled blocks, when there are too many.
 *
 * A block sampled with p(size, R) that survives with p(size, 2R) / p(size, R) has been sampled with
 * p(size, 2R), so its weight by that is without bias. The changes of all weights go to the cells of
 * the calling thread: only sums over threads mean anything.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/thinning.h"

#include "libmemusage/tables/block_search.h"
#include "libmemusage/tables/heap.h"
#include "libmemusage/tables/sample_filter.h"
#include "libmemusage/tables/sampling.h"
#include "libmemusage/tables/sites.h"
#include "libmemusage/tables/snapshots.h"

struct thinning {
	struct thread *thread;
	unsigned int from, to;
	int64_t bytes, extra; /* change of the heap */
};

static void change_live_sums(struct thinning *t, const struct block *block, int64_t bytes,
			     int64_t blocks)
{
	struct mu_cell *cell = sites_cell(t->thread, block->site);

	if (!cell)
		return;
	sites_keep_peak(cell);
	cell->live_bytes += bytes;
	cell->live_blocks += blocks;
	cell->life -= blocks * (int64_t)(block->birth & MU_BIRTH_TIME);
}

/* Blocks inside others are in no sum of the heap. */
static void change_heap_sums(struct thinning *t, uint64_t key, const struct block *block,
			     const struct sample_weight *before, const struct sample_weight *after)
{
	uint64_t extra = snapshot_due.admin + (key & MU_KEY_SPACE ? 0 : mu_slop(block->size));

	if ((key & MU_KEY_SPACE) == MU_KEY_NESTED || sites_is_ignored(block->site))
		extra = 0;
	if ((key & MU_KEY_SPACE) != MU_KEY_NESTED)
		t->bytes += (int64_t)(after->bytes - before->bytes);
	t->extra += (int64_t)(sampling_extra(extra, after) - sampling_extra(extra, before));
}

/* Returns whether the block stays. */
static bool thin_block(struct thinning *t, uint64_t key, const struct block *block)
{
	struct sample_weight before = sampling_weigh(block->size, t->from), after = { 0 };
	bool stays = sampling_survives(t->thread, block->size, t->from, t->to);

	if (stays)
		after = sampling_weigh(block->size, t->to);
	sampling_remove_error(block->site, &before);
	if (stays)
		sampling_add_error(block->site, &after, false);
	else
		rec.image->sampling.thinned++;
	if (!stays && !(key & MU_KEY_SPACE))
		sample_filter_remove(key);
	change_live_sums(t, block, (int64_t)(after.bytes - before.bytes),
			 (int64_t)(after.blocks - before.blocks));
	change_heap_sums(t, key, block, &before, &after);
	return stays;
}

/* ---- all blocks of the table ---------------------------------------------------------------- */

static void thin_line(struct thinning *t, struct mu_line *line, uint64_t page)
{
	for (unsigned int i = 0; i < 4; i++) {
		struct block block;

		if (!(line->tag[i] & 1))
			continue;
		blocks_read(line, i, &block, false);
		if (!thin_block(t, page | (line->tag[i] >> 1 & 511) << MU_GRANULE_SHIFT, &block))
			line->tag[i] = 0;
	}
}

static void thin_leaf(struct thinning *t, const uint64_t *leaf, uint64_t start)
{
	for (uint64_t i = 0; i < 512; i++) {
		struct mu_line *line = leaf[i] ? (struct mu_line *)blocks_bucket(leaf[i]) : NULL;

		for (unsigned int k = 0; line && k < MU_PAGE_LINES(leaf[i]); k++)
			thin_line(t, line + k, start | i << 12);
	}
}

static void thin_all_blocks(struct thinning *t)
{
	const struct mu_blocks *blocks = arena_at(rec.image->blocks_root);
	const struct mu_region *region = arena_at(MU_REGIONS_OFFSET(blocks->regions));

	for (uint64_t i = 0; i < UINT64_C(1) << MU_REGIONS_LOG2(blocks->regions); i++) {
		const uint64_t *leaves = region[i].key ? arena_at(region[i].leaves) : NULL;
		uint64_t start = (region[i].key - 1) << MU_REGION_SHIFT;

		for (uint64_t k = 0; leaves && k < 512; k++)
			if (leaves[k])
				thin_leaf(t, arena_at(leaves[k]), start | k << MU_LEAF_SHIFT);
	}
}

void thinning_double(struct thread *thread)
{
	bool many = gate.mode & MODE_MANY;
	struct thinning t = { .thread = thread,
			      .from = sampling_log2(),
			      .to = sampling_log2() + 1 };

	snapshots_before_fall(many);
	heap_note_peak_before(thread, INT64_MAX, many);
	thin_all_blocks(&t);
	__atomic_store_n(&rec.image->sampling.log2, t.to, __ATOMIC_RELAXED);
	heap_change(thread, t.bytes, many);
	snapshots_changed(thread, t.extra, 0, many);
}
