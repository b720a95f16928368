/* earlier_blocks.c -- blocks that a process had when memusage attached to it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/event/earlier_blocks.h"

#include <stdbool.h>
#include <stddef.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/event/event.h"
#include "libmemusage/tables/sites.h"
#include "libmemusage/tables/snapshots.h"
#include "libmemusage/tables/stack.h"

/* The word before a block of glibc's malloc: the size of its chunk, and flags. */
#define CHUNK_FLAGS UINT64_C(7)
#define CHUNK_IS_MAPPED UINT64_C(2)
#define CHUNK_HEADER UINT64_C(8)

static struct {
	uint32_t site;
	uint32_t mapped_header;
	uint64_t point;	     /* offset; 0: none */
	struct thread owner; /* of the cell that has them at first */
} earlier;

static uint32_t find_site(void)
{
	struct walk *walk = walk_start_empty(&earlier.owner);
	uint32_t site;

	if (!walk)
		return 0;
	walk_push(walk, 0);
	site = sites_find(walk, MU_SITE_FN_BEFORE);
	walk_start_empty(&earlier.owner);
	return site;
}

static void fill_cell(uint64_t blocks, uint64_t bytes)
{
	struct mu_cell *cell;

	earlier.owner = (struct thread){ .pub.tid = rec.pid };
	earlier.site = find_site();
	cell = sites_cell(&earlier.owner, earlier.site);
	if (!cell)
		return;
	cell->live_bytes = cell->max_bytes = (int64_t)bytes;
	cell->live_blocks = (int64_t)blocks;
	cell->total_bytes = bytes;
	cell->total_blocks = blocks;
	cell->life = -(int64_t)(blocks * sites_tick());
	/* DHAT's figures are exact, or there are none. */
	if (rec.flags & MU_CFG_POINTS && blocks)
		points_begin_with(cell->point, blocks, bytes);
	earlier.point = blocks ? cell->point : 0;
}

void earlier_blocks_begin(const struct earlier_heap *heap)
{
	struct mu_recorded *to = &rec.image->recorded;
	enum mu_before kind = heap->kind;

	if (kind == MU_BEFORE_KNOWN && rec.flags & MU_CFG_SAMPLE)
		kind = MU_BEFORE_APART;
	to->before = kind;
	if (kind == MU_BEFORE_UNKNOWN)
		return;
	earlier.mapped_header = heap->mapped_header;
	to->before_blocks = heap->blocks;
	to->before_bytes = heap->bytes;
	if (kind == MU_BEFORE_APART)
		return;
	rec.image->heap.now = (int64_t)heap->bytes;
	rec.image->fork_heap = (int64_t)heap->bytes; /* a data file begins with it */
	if (!(rec.flags & MU_CFG_STACKS))
		return;
	fill_cell(heap->blocks, heap->bytes);
	snapshots_refresh_first();
}

/* free() reads the same word: it is there, or the program ends there. */
static uint64_t usable_bytes(const void *block)
{
	const uint64_t word = ((const uint64_t *)block)[-1], size = word & ~CHUNK_FLAGS;
	const uint64_t header = word & CHUNK_IS_MAPPED ? earlier.mapped_header : CHUNK_HEADER;

	return size > header ? size - header : 0;
}

/* Never more than there were: a block whose allocation could not be recorded is not known, either.
 * Returns the bytes that are gone now. */
static uint64_t take_bytes(const void *block)
{
	struct mu_recorded *to = &rec.image->recorded;
	const uint64_t bytes = usable_bytes(block);
	uint64_t gone = __atomic_load_n(&to->before_gone, __ATOMIC_RELAXED);

	do {
		if (bytes > to->before_bytes - gone)
			return 0;
	} while (!__atomic_compare_exchange_n(&to->before_gone, &gone, gone + bytes, true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return bytes;
}

/* Whose cell of the site changes. While there is one thread a site has one cell (site_totals.c):
 * so it is that which had the blocks at first. */
static struct thread *owner_of_cell(struct thread *thread, bool many)
{
	if (many)
		return thread;
	earlier.owner.lifetimes = thread->lifetimes;
	return &earlier.owner;
}

/* As event_freed(). Without SP the data file's event has the depth of none. */
static void account_free(struct thread *thread, uint64_t bytes, uint64_t sp)
{
	const struct block known = { .size = bytes, .site = earlier.site };
	const unsigned int mode = gate.mode;
	const bool many = mode & MODE_MANY;
	const bool has_stacks = mode & MODE_STACKS;

	if (has_stacks) {
		snapshots_before(sites_tick(), many);
		snapshots_before_fall(many);
	}
	heap_change(thread, -(int64_t)bytes, many);
	if (has_stacks) {
		sites_free(owner_of_cell(thread, many), &known, false, sites_tick());
		snapshots_changed(thread, 0, bytes, many);
	}
	if (mode & MODE_POINTS)
		points_free(earlier.point, bytes, many);
	if (sp) {
		event_freed_by(thread, bytes, sp, mode);
		stack_note(thread, sp);
	}
	if (mode & MODE_LOG)
		log_append(thread, -(int64_t)bytes, sp ? thread->pub.stack_base - sp : 0, many);
}

static bool is_in_heap(void)
{
	const uint32_t kind = rec.image->recorded.before;

	return kind == MU_BEFORE_KNOWN || kind == MU_BEFORE_AT_MOST;
}

static void end_block(struct thread *thread, const void *block, uint64_t sp)
{
	const uint64_t bytes = is_in_heap() ? take_bytes(block) : 0;

	if (bytes)
		account_free(thread, bytes, sp);
}

void earlier_blocks_free(struct thread *thread, const void *block, uint64_t sp)
{
	__atomic_fetch_add(&rec.image->recorded.earlier_frees, 1, __ATOMIC_RELAXED);
	end_block(thread, block, sp);
}

void earlier_blocks_realloc(struct thread *thread, const void *block)
{
	__atomic_fetch_add(&rec.image->recorded.earlier_reallocs, 1, __ATOMIC_RELAXED);
	end_block(thread, block, 0);
}

void earlier_blocks_put_back(struct thread *thread, const void *block)
{
	struct mu_recorded *to = &rec.image->recorded;
	const unsigned int mode = gate.mode;
	struct mu_cell *cell;
	uint64_t bytes;

	__atomic_fetch_sub(&to->earlier_reallocs, 1, __ATOMIC_RELAXED);
	if (!is_in_heap())
		return;
	bytes = usable_bytes(block);
	/* Bytes that were not taken, for want of them, are not put back. */
	if (__atomic_load_n(&to->before_gone, __ATOMIC_RELAXED) < bytes)
		return;
	__atomic_fetch_sub(&to->before_gone, bytes, __ATOMIC_RELAXED);
	heap_change(thread, (int64_t)bytes, mode & MODE_MANY);
	if (mode & MODE_LOG)
		log_append(thread, (int64_t)bytes, 0, mode & MODE_MANY);
	if (mode & MODE_POINTS)
		points_put_back(earlier.point, bytes, mode & MODE_MANY);
	cell = mode & MODE_STACKS ?
		       sites_cell(owner_of_cell(thread, mode & MODE_MANY), earlier.site) : NULL;
	if (!cell)
		return;
	sites_keep_peak(cell);
	cell->live_bytes += (int64_t)bytes;
	cell->live_blocks++;
	cell->life -= (int64_t)sites_tick();
}
