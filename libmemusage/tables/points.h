/* points.h -- program points: what DHAT counts (docs/format.md, "Points").
 *
 * Other reports sum up cells, which each thread has for itself. A point is shared by all threads,
 * because the most that was live at it can be known in no other way; so it costs a lock where
 * there are several, and only a recording for DHAT has points. They keep DHAT's rules where these
 * differ from the cells': the last of equal peaks counts, a size of 0 is one byte, a block that
 * was reallocated stays with its point.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_POINTS_H
#define LIBMEMUSAGE_TABLES_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/spin.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/unwind/walk.h"
#include "recording/points.h"

/* points_init -- make the empty table of a new image. Returns false without memory. */
bool points_init(void);

/* points_find -- the point of a stack that became a new site.
 *
 * walk  as for sites_find(); site its number.
 * Returns the point's number + 1, 0 without memory. Under the lock of the sites. Cost O(frames).
 */
uint32_t points_find(const struct walk *walk, uint32_t site);

/* points_of -- the offset of the point of a site, 0 if it has none. */
uint64_t points_of(uint32_t site);

/* points_time_slow -- the time by another clock than the time stamp counter. */
uint64_t points_time_slow(const struct mu_points *all);

/* points_ticked -- a millisecond has passed: note the time by both clocks. */
void points_ticked(struct mu_points *all, uint64_t tick);

/* points_publish -- several threads: the heap is about to change by what a thread kept back.
 *
 * Under the lock of the heap, before it changes.
 */
void points_publish(int64_t change);

/* points_exit -- the process ends: the time is noted. */
void points_exit(void);

/* points_all -- the heap as points see it. */
static inline struct mu_points *points_all(void)
{
	return arena_at(rec.image->points);
}

/* points_time -- now, by the clock of the points. Cost of the time stamp counter: 6 ns. */
static inline uint64_t points_time(struct mu_points *all)
{
	uint64_t tick = __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED);

	if (unlikely(tick != all->tick))
		points_ticked(all, tick);
	return likely(all->clock == MU_CLOCK_TICKS) ? cpu_ticks() >> all->shift
						    : points_time_slow(all);
}

/* points_lock -- begin to change a point. Without the lock, whose holder is gone for good, the
 * change is made all the same. */
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

/* points_keep_peak -- before a point changes; as sites_keep_peak(). */
static inline void points_keep_peak(const struct mu_points *all, struct mu_point *point)
{
	uint32_t epoch = __atomic_load_n(&all->epoch, __ATOMIC_RELAXED);

	if (unlikely(point->epoch != epoch)) {
		point->peak_bytes = point->live_bytes;
		point->peak_blocks = point->live_blocks;
		point->epoch = epoch;
	}
}

/* points_fall -- the heap is about to fall: if it stands at its peak, that is where it was. */
static inline void points_fall(struct mu_points *all, int64_t heap)
{
	if (unlikely(heap >= all->peak)) {
		all->peak = heap;
		all->peak_time = all->last_time;
		__atomic_store_n(&all->epoch, all->epoch + 1, __ATOMIC_RELAXED);
	}
}

/* points_size -- what DHAT counts for a size. */
static inline int64_t points_size(uint64_t size)
{
	return (int64_t)(size + !size);
}

/* points_count -- the clocks that count what was allocated. */
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

/* points_alloc -- a block came to life at a point.
 *
 * offset  of the point; 0: does nothing.
 * Async-signal-safe. Cost 8 ns, of which the time is 6.
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

/* points_note_max -- before a point falls. */
static inline void points_note_max(struct mu_point *point)
{
	if (point->live_bytes > point->max_bytes) {
		point->max_bytes = point->live_bytes;
		point->max_blocks = point->live_blocks;
	}
}

/* points_free -- a block of a point is about to die. As points_alloc(). */
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

/* points_resize -- realloc changed a block, which stays with its point. */
void points_resize(uint64_t offset, uint64_t from, uint64_t to, bool many);

#endif
