/* sites.h -- who allocates: stacks as numbers, and what each did (docs/format.md section 7).
 *
 * A site is a call stack and the function called. Its counters lie in cells, one per site
 * and thread that met it, so that threads share no cache line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_SITES_H
#define LIBMEMUSAGE_TABLES_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/tables/blocks.h"
#include "libmemusage/tables/site_totals.h"
#include "libmemusage/unwind/walk.h"

/* sites_init -- make the empty tables of a new image, and site 0: the unknown one.
 *
 * Returns false without memory. Not thread-safe.
 */
bool sites_init(void);

/* sites_find -- the number of the calling thread's present stack and `fn`.
 *
 * walk   from walk_stack(), NULL: the unknown site.
 * fn     enum mu_fn or mu_site_fn.
 * Returns 0 if the tables are full (counted). Async-signal-safe. Cost 2-5 ns for a known
 * stack, some 100 ns per new frame otherwise.
 */
uint32_t sites_find(struct walk *walk, unsigned int fn);

/* sites_find_from -- the same for a block that realloc changed, with program points.
 *
 * origin  the site that it had: the one returned has that one's point.
 */
uint32_t sites_find_from(struct walk *walk, unsigned int fn, uint32_t origin);

/* A module as sites_module() found it. */
struct sites_module {
	uint64_t start, end, bias;
	uint32_t number; /* in the table of modules */
};

/* sites_module -- the module that holds an address, recorded if it was not yet.
 *
 * Returns false if there is none. Async-signal-safe.
 */
bool sites_module(uint64_t pc, struct sites_module *module);

/* sites_cell_slow -- the thread's cell of a site that it meets for the first time.
 *
 * Returns NULL if the arena is full.
 */
struct mu_cell *sites_cell_slow(struct thread *thread, uint32_t site);

/* sites_cell -- the thread's cell of a site; NULL if there can be none. */
static inline struct mu_cell *sites_cell(struct thread *thread, uint32_t site)
{
	uint32_t offset = likely(site < thread->cell_sites) ? thread->cell_of[site] : 0;

	/* Cells lie at multiples of their size: 32 bits reach 512 GiB. */
	return likely(offset) ? arena_at((uint64_t)offset * sizeof(struct mu_cell))
			      : sites_cell_slow(thread, site);
}

/* sites_fetch -- an event of this site is expected: fetches its cell from memory. */
static inline void sites_fetch(const struct thread *thread, uint32_t site)
{
	const char *cell;

	if (unlikely(site >= thread->cell_sites))
		return;
	cell = arena_at((uint64_t)thread->cell_of[site] * sizeof(struct mu_cell));
	__builtin_prefetch(cell, 1);
	__builtin_prefetch(cell + 64, 1);
}

/* sites_is_ignored -- whether a site is left out of Massif's books. Async-signal-safe. */
bool sites_is_ignored(uint32_t site);

/* sites_book -- bytes that stay at a site in Massif's books though no block has them.
 *
 * They are in snapshots from now on, and in nothing else. Async-signal-safe.
 */
void sites_book(uint32_t site, uint64_t size);

/* sites_tick -- the coarse clock of births and lifetimes (docs/format.md, section 5). */
static inline uint64_t sites_tick(void)
{
	return __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED);
}

/* sites_cell_number -- of a cell of this image. Cells lie at multiples of their size. */
static inline uint32_t sites_cell_number(const struct mu_cell *cell)
{
	return (uint32_t)((uint64_t)((const uint8_t *)cell - rec.base) / sizeof(*cell));
}

/* sites_keep_peak_slow -- the first change of a cell in the heap's epoch. */
void sites_keep_peak_slow(struct mu_cell *cell, uint32_t epoch);

/* sites_keep_peak -- before a cell changes: if the heap fell from a new peak since the cell
 * last changed, its present value is its value at that peak. */
static inline void sites_keep_peak(struct mu_cell *cell)
{
	uint32_t epoch = __atomic_load_n(&rec.image->heap.epoch, __ATOMIC_RELAXED);

	if (unlikely(cell->epoch != epoch))
		sites_keep_peak_slow(cell, epoch);
}

/* sites_class -- index into mu_cell.size_class of a size. */
static inline unsigned int sites_class(uint64_t size)
{
	unsigned int log2 = size <= 16 ? 4 : 64 - (unsigned int)__builtin_clzll(size - 1);

	/* <= 16, 64, 256, 1 KiB, 4 KiB, 64 KiB, 1 MiB, more */
	if (log2 <= 12)
		return (log2 - 3) / 2;
	return log2 <= 16 ? 5 : log2 <= 20 ? 6 : 7;
}

/* sites_alloc -- a block came to life at a site.
 *
 * tick  sites_tick().
 * Returns the thread's cell of it, or NULL. Async-signal-safe. Cost 2-4 ns.
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

/* sites_lives -- where a block counts by the time for which it lived. */
static inline uint64_t *sites_lives(struct thread *thread, const struct block *block,
				    uint64_t tick)
{
	struct mu_lifetimes *lives = arena_at(thread->lifetimes);

	return &lives->blocks[mu_lifetime_class(mu_age(block->birth, tick))];
}

/* sites_free -- a block is about to die.
 *
 * newest  it was this thread's last allocation: a temporary block.
 * tick    when: sites_tick(), but for frees that are booked later.
 * Returns as sites_alloc(), of the block's site.
 */
static inline struct mu_cell *sites_free(struct thread *thread, const struct block *block,
					 bool newest, uint64_t tick)
{
	struct mu_cell *cell = sites_cell(thread, block->site);

	if (unlikely(!cell))
		return NULL;
	if (unlikely(thread->lifetimes))
		(*sites_lives(thread, block, tick))++;
	sites_keep_peak(cell);
	if (cell->live_bytes > cell->max_bytes)
		cell->max_bytes = cell->live_bytes;
	cell->live_bytes -= (int64_t)block->size;
	cell->live_blocks--;
	cell->life += (int64_t)tick;
	cell->temporary += newest;
	return cell;
}

/* sites_ad_hoc -- an ad hoc event at a site. */
static inline void sites_ad_hoc(struct thread *thread, uint32_t site, uint64_t weight)
{
	struct mu_cell *cell = sites_cell(thread, site);

	if (unlikely(!cell))
		return;
	cell->total_bytes += weight;
	cell->total_blocks++;
}

/* sites_freed_by -- a block of SIZE bytes is freed by the stack of SITE, one of frees. */
static inline void sites_freed_by(struct thread *thread, uint32_t site, uint64_t size)
{
	struct mu_cell *cell = sites_cell(thread, site);

	if (unlikely(!cell))
		return;
	cell->total_bytes += size;
	cell->total_blocks++;
}

#endif
