/* sites.h -- numbers and counters of the stacks that allocate (docs/format.md, section 7).
 *
 * A site is a call stack and the function called. Its counters are in cells, one for each site and
 * thread that met it, so that threads share no cache line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/tables/blocks.h"
#include "libmemusage/tables/site_totals.h"
#include "libmemusage/unwind/walk.h"

/* sites_init -- make the empty tables of a new image, and site 0, the unknown one.
 *
 * Returns false without memory. Not thread-safe.
 */
bool sites_init(void);

/* sites_find -- find or make the site of the calling thread's present stack and `fn`.
 *
 * walk   from walk_stack(), NULL: the unknown site.
 * fn     enum mu_fn or mu_site_fn.
 * Returns 0 if the tables are full (counted). Async-signal-safe. Costs 2-5 ns for a known stack,
 * otherwise some 100 ns per new frame.
 */
uint32_t sites_find(struct walk *walk, unsigned int fn);

/* sites_find_from -- sites_find() for a block that realloc changed, with program points.
 *
 * origin  the block's old site: the one returned has the same point.
 */
uint32_t sites_find_from(struct walk *walk, unsigned int fn, uint32_t origin);

/* The result of sites_module(). */
struct sites_module {
	uint64_t start, end, bias;
	uint32_t number; /* in the table of modules */
};

/* sites_module -- find the module that contains an address, and record it if it is new.
 *
 * Returns false if there is none. Async-signal-safe.
 */
bool sites_module(uint64_t pc, struct sites_module *module);

/* sites_cell_slow -- make the thread's cell of a site that it meets for the first time.
 *
 * Returns NULL if the arena is full.
 */
struct mu_cell *sites_cell_slow(struct thread *thread, uint32_t site);

/* sites_cell -- return the thread's cell of a site, NULL without memory. */
static inline struct mu_cell *sites_cell(struct thread *thread, uint32_t site)
{
	uint32_t offset = likely(site < thread->cell_sites) ? thread->cell_of[site] : 0;

	/* The offset of a cell is a multiple of its size: 32 bits reach 512 GiB. */
	return likely(offset) ? arena_at((uint64_t)offset * sizeof(struct mu_cell))
			      : sites_cell_slow(thread, site);
}

/* sites_fetch -- prefetch the cell of a site whose event is expected. */
static inline void sites_fetch(const struct thread *thread, uint32_t site)
{
	const char *cell;

	if (unlikely(site >= thread->cell_sites))
		return;
	cell = arena_at((uint64_t)thread->cell_of[site] * sizeof(struct mu_cell));
	__builtin_prefetch(cell, 1);
	__builtin_prefetch(cell + 64, 1);
}

/* sites_is_ignored -- return whether Massif's accounting leaves out a site. Async-signal-safe. */
bool sites_is_ignored(uint32_t site);

/* sites_charge -- add bytes to a site, for good, in Massif's accounting, though no block has them.
 *
 * They are in snapshots only. Async-signal-safe.
 */
void sites_charge(uint32_t site, uint64_t size);

/* sites_tick -- return the coarse clock of births and lifetimes (docs/format.md, section 5). */
static inline uint64_t sites_tick(void)
{
	return __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED);
}

/* sites_cell_number -- return the offset of a cell in the image, in cells. */
static inline uint32_t sites_cell_number(const struct mu_cell *cell)
{
	return (uint32_t)((uint64_t)((const uint8_t *)cell - rec.base) / sizeof(*cell));
}

/* sites_keep_peak_slow -- sites_keep_peak() at the first change of a cell in the heap's epoch. */
void sites_keep_peak_slow(struct mu_cell *cell, uint32_t epoch);

/* sites_keep_peak -- note a cell's values at the last peak before the cell changes.
 *
 * If the heap fell from a new peak after the cell's last change, the present values are those.
 */
static inline void sites_keep_peak(struct mu_cell *cell)
{
	uint32_t epoch = __atomic_load_n(&rec.image->heap.epoch, __ATOMIC_RELAXED);

	if (unlikely(cell->epoch != epoch))
		sites_keep_peak_slow(cell, epoch);
}

/* sites_class -- return the index of a size in mu_cell.size_class. */
static inline unsigned int sites_class(uint64_t size)
{
	unsigned int log2 = size <= 16 ? 4 : 64 - (unsigned int)__builtin_clzll(size - 1);

	/* <= 16, 64, 256, 1 KiB, 4 KiB, 64 KiB, 1 MiB, more */
	if (log2 <= 12)
		return (log2 - 3) / 2;
	return log2 <= 16 ? 5 : log2 <= 20 ? 6 : 7;
}

/* sites_alloc -- add a new block to its site.
 *
 * tick  sites_tick().
 * Returns the thread's cell of the site, or NULL. Async-signal-safe. Costs 2-4 ns.
 */
static inline struct mu_cell *sites_alloc(struct thread *thread, uint32_t site, uint64_t size,
					   uint64_t tick)
{
	struct mu_cell *cell = sites_cell(thread, site);

	if (unlikely(!cell))
		return NULL;
	sites_keep_peak(cell);
	cell->live_bytes += (int64_t)size;
	cell->live_blocks++;
	cell->total_bytes += size;
	cell->total_blocks++;
	cell->life -= (int64_t)tick;
	cell->size_class[sites_class(size)]++;
	return cell;
}

/* sites_lifetime_count -- return the count of blocks with the lifetime of a block. */
static inline uint64_t *sites_lifetime_count(struct thread *thread, const struct block *block,
					     uint64_t tick)
{
	struct mu_lifetimes *lives = arena_at(thread->lifetimes);

	return &lives->blocks[mu_lifetime_class(mu_age(block->birth, tick))];
}

/* sites_free -- remove a block, about to be freed, from its site.
 *
 * newest  it was this thread's last allocation: a temporary block.
 * tick    the time of the free: sites_tick(), unless the free is deferred.
 * Returns as sites_alloc().
 */
static inline struct mu_cell *sites_free(struct thread *thread, const struct block *block,
					 bool newest, uint64_t tick)
{
	struct mu_cell *cell = sites_cell(thread, block->site);

	if (unlikely(!cell))
		return NULL;
	if (unlikely(thread->lifetimes))
		(*sites_lifetime_count(thread, block, tick))++;
	sites_keep_peak(cell);
	if (cell->live_bytes > cell->max_bytes)
		cell->max_bytes = cell->live_bytes;
	cell->live_bytes -= (int64_t)block->size;
	cell->live_blocks--;
	cell->life += (int64_t)tick;
	cell->temporary += newest;
	return cell;
}

/* sites_count -- add an ad hoc event of weight SIZE to a site, or a block of SIZE bytes to the site
 * of the stack that frees it. */
static inline void sites_count(struct thread *thread, uint32_t site, uint64_t size)
{
	struct mu_cell *cell = sites_cell(thread, site);

	if (unlikely(!cell))
		return;
	cell->total_bytes += size;
	cell->total_blocks++;
}
