/* points.h -- program points, DHAT's unit of counting (docs/format.md, "Points").
 *
 * Other reports sum up cells, of which each thread has its own. All threads share a point, because
 * nothing else gives the most that was live at it. So a point costs a lock with several threads,
 * and only a recording for DHAT has points. They follow DHAT's rules where these differ from those
 * of cells: the last of equal peaks counts, a size of 0 is one byte, and a reallocated block stays
 * with its point.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/unwind/walk.h"
#include "recording/points.h"

/* points_init -- make the empty table of a new image. Returns false without memory. */
bool points_init(void);

/* points_find -- find or make the point of a stack that became a new site.
 *
 * walk  as for sites_find(); `site` is its number.
 * Returns the point's number + 1, 0 without memory. Needs the lock of sites.c. Costs O(frames).
 */
uint32_t points_find(const struct walk *walk, uint32_t site);

/* points_of -- return the offset of the point of a site, 0 if it has none. */
uint64_t points_of(uint32_t site);

/* points_time_slow -- return the time by any other clock than the time stamp counter. */
uint64_t points_time_slow(const struct mu_points *all);

/* points_ticked -- note the time by both clocks, after a millisecond. */
void points_ticked(struct mu_points *all, uint64_t tick);

/* points_publish -- with several threads: note that a thread's pending change is published.
 *
 * Call under the lock of the heap, before the heap changes.
 */
void points_publish(int64_t change);

/* points_exit -- note the time at the end of the process. */
void points_exit(void);

/* points_all -- return the heap as points see it. */
static inline struct mu_points *points_all(void)
{
	return arena_at(rec.image->points);
}

/* points_time -- return the time by the clock of the points. The time stamp counter costs 6 ns. */
static inline uint64_t points_time(struct mu_points *all)
{
	uint64_t tick = __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED);

	if (unlikely(tick != all->tick))
		points_ticked(all, tick);
	return likely(all->clock == MU_CLOCK_TICKS) ? clock_ticks() >> all->shift
						    : points_time_slow(all);
}

/* points_lock -- begin to change a point.
 *
 * Returns false without the lock, if its holder is gone for good: change the point all the same.
 */
static inline bool points_lock(struct mu_point *point, bool many)
{
	return many && (likely(spin_try(&point->lock)) || spin_lock(&point->lock));
}

/* points_unlock -- end what points_lock() began. */
static inline void points_unlock(struct mu_point *point, bool is_locked)
{
	if (is_locked)
		spin_unlock(&point->lock);
}

/* points_keep_peak -- note a point's values at the last peak before it changes.
 *
 * As sites_keep_peak().
 */
static inline void points_keep_peak(const struct mu_points *all, struct mu_point *point)
{
	uint32_t epoch = __atomic_load_n(&all->epoch, __ATOMIC_RELAXED);

	if (unlikely(point->epoch != epoch)) {
		point->peak_bytes = point->live_bytes;
		point->peak_blocks = point->live_blocks;
		point->epoch = epoch;
	}
}

/* points_fall -- note a peak before the heap falls, if it is at its maximum. */
static inline void points_fall(struct mu_points *all, int64_t heap)
{
	if (unlikely(heap >= all->peak)) {
		all->peak = heap;
		all->peak_time = all->last_time;
		__atomic_store_n(&all->epoch, all->epoch + 1, __ATOMIC_RELAXED);
	}
}

/* points_size -- return the bytes that DHAT counts for a size. */
static inline int64_t points_size(uint64_t size)
{
	return (int64_t)(size + !size);
}

/* points_count -- advance a clock that counts allocations or their bytes. */
static inline void points_count(struct mu_points *all, int64_t size, bool many)
{
	uint64_t step = all->clock == MU_CLOCK_BYTES ? (uint64_t)size : 1;

	if (likely(all->clock < MU_CLOCK_BYTES))
		return;
	if (many)
		__atomic_fetch_add(&all->counter, step, __ATOMIC_RELAXED);
	else
		all->counter += step;
}

/* points_alloc -- add a new block to a point.
 *
 * offset  of the point; 0: does nothing.
 * Async-signal-safe. Costs 8 ns, 6 of them for the time.
 */
static inline void points_alloc(uint64_t offset, uint64_t requested, bool many)
{
	struct mu_points *all = points_all();
	struct mu_point *point = arena_at(offset);
	int64_t size = points_size(requested);

	if (unlikely(!offset))
		return;
	points_count(all, size, many);
	uint64_t now = points_time(all);
	bool is_locked = points_lock(point, many);
	points_keep_peak(all, point);
	point->live_bytes += size;
	point->live_blocks++;
	point->total_bytes += (uint64_t)size;
	point->total_blocks++;
	point->life -= (int64_t)now;
	points_unlock(point, is_locked);
	if (!many) {
		all->now += size;
		all->last_time = now;
	}
}

/* points_note_max -- note a point's maximum before its bytes fall. */
static inline void points_note_max(struct mu_point *point)
{
	if (point->live_bytes > point->max_bytes) {
		point->max_bytes = point->live_bytes;
		point->max_blocks = point->live_blocks;
	}
}

/* points_free -- remove a block, about to be freed, from its point. As points_alloc(). */
static inline void points_free(uint64_t offset, uint64_t requested, bool many)
{
	struct mu_points *all = points_all();
	struct mu_point *point = arena_at(offset);
	int64_t size = points_size(requested);

	if (unlikely(!offset))
		return;
	if (!many) {
		points_fall(all, all->now);
		all->now -= size;
	}
	uint64_t now = points_time(all);
	bool is_locked = points_lock(point, many);
	points_keep_peak(all, point);
	points_note_max(point);
	point->live_bytes -= size;
	point->live_blocks--;
	point->life += (int64_t)now;
	points_unlock(point, is_locked);
}

/* points_begin_with -- add the blocks that there were before recording to a point.
 *
 * Before there are events. offset: as for points_alloc().
 */
void points_begin_with(uint64_t offset, uint64_t blocks, uint64_t bytes);

/* points_put_back -- undo points_free(): the block was not freed. */
void points_put_back(uint64_t offset, uint64_t requested, bool many);

/* points_resize -- change the size of a block at its point, after realloc. */
void points_resize(uint64_t offset, uint64_t from, uint64_t to, bool many);
