/* points.c -- the table of program points, and the clocks of their times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/points.h"

#include <stddef.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/hash.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/tables/instructions.h"

#define FIRST_LOG2 3
#define INDEX_LOG2 9
/* Sums of lifetimes have 63 bits: in units of 2^5 ns they hold 10 million blocks for a year, and
 * one block's error is 32 ns; in units of 2^6 ticks it is about the same. */
#define TICKS_SHIFT 6
#define NS_SHIFT 5

static struct {
	struct hash_table
		numbers; /* of points by the hash of their frames; the lock is sites.c's */
	uint64_t cpu_ns; /* of the process, as read last */
} points;

static struct mu_point *point_at(uint64_t number)
{
	return arena_table_at(section_table(MU_SEC_POINTS), number);
}

/* ---- find -------------------------------------------------------------------------------- */

static uint32_t frames_of_point(const struct walk *walk)
{
	uint32_t depth = rec.segment->config.point_depth;
	uint32_t frames = walk ? walk->count : 0;

	return depth && frames > depth - 1 ? depth - 1 : frames;
}

/* The hash of the innermost frames: the walk has only the hash of all. Not 0. */
static uint64_t hash_of_frames(const struct walk *walk, uint32_t frames)
{
	uint64_t hash = frames + 1;

	for (uint32_t i = 0; i < frames; i++) {
		hash = hash_spread(hash ^ walk->frame[walk->count - 1 - i].pc);
		hash ^= hash >> 32;
	}
	return hash + !hash;
}

uint32_t points_find(const struct walk *walk, uint32_t site)
{
	uint32_t frames = frames_of_point(walk);
	uint64_t hash = hash_of_frames(walk, frames), count = section_table(MU_SEC_POINTS)->count;
	const uint64_t *known = hash_find(&points.numbers, hash);

	if (known)
		return (uint32_t)*known + 1;
	if (!hash_reserve(&points.numbers, INDEX_LOG2))
		return 0;
	struct mu_point *point = count < UINT32_MAX - 1 ? point_at(count) : NULL;
	if (!point)
		return 0;
	point->hash = hash;
	point->site = site;
	point->frames = frames;
	point->epoch = points_all()->epoch;
	__atomic_store_n(&section_table(MU_SEC_POINTS)->count, count + 1, __ATOMIC_RELEASE);
	hash_put(&points.numbers, hash, count);
	return (uint32_t)count + 1;
}

uint64_t points_of(uint32_t number)
{
	const struct mu_site *site = arena_table_at(&rec.image->table[MU_SEC_SITES], number);
	const struct mu_point *point = site && site->point ? point_at(site->point - 1) : NULL;

	return point ? (uint64_t)((const uint8_t *)point - rec.base) : 0;
}

/* ---- time -------------------------------------------------------------------------------- */

/* Not inlined: tests/lint/native.t must see the call, see emulated_event.h. */
__attribute__((noinline)) uint64_t points_time_slow(const struct mu_points *all)
{
	switch (all->clock) {
	case MU_CLOCK_NS:
		return clock_ns(CLOCK_MONOTONIC) >> all->shift;
	case MU_CLOCK_CPU:
		return __atomic_load_n(&points.cpu_ns, __ATOMIC_RELAXED) >> all->shift;
	case MU_CLOCK_INSTRUCTIONS:
		instructions_update();
		return __atomic_load_n(instructions_sum(), __ATOMIC_RELAXED);
	default:
		return __atomic_load_n(&all->counter, __ATOMIC_RELAXED);
	}
}

static void note_end_times(struct mu_points *all)
{
	if (all->clock == MU_CLOCK_CPU)
		__atomic_store_n(&points.cpu_ns,
				 clock_kernel_ns(CLOCK_PROCESS_CPUTIME_ID, points.cpu_ns),
				 __ATOMIC_RELAXED);
	all->end_ns = clock_kernel_ns(CLOCK_MONOTONIC, coarse_clock_ns());
	all->end_ticks = clock_ticks();
	all->end_time = all->clock == MU_CLOCK_TICKS ? all->end_ticks >> all->shift
						     : points_time_slow(all);
}

void points_ticked(struct mu_points *all, uint64_t tick)
{
	if (!spin_try(&all->lock))
		return;
	note_end_times(all);
	all->tick = tick;
	spin_unlock(&all->lock);
}

void points_exit(void)
{
	if (rec.image->points)
		note_end_times(points_all());
}

/* ---- events ------------------------------------------------------------------------------ */

void points_publish(int64_t change)
{
	struct mu_points *all = points_all();
	int64_t heap = rec.image->heap.now;

	if (!rec.image->points)
		return;
	all->now = heap + change;
	if (change < 0)
		points_fall(all, heap);
	else
		all->last_time = points_time(all);
}

void points_resize(uint64_t offset, uint64_t from, uint64_t to, bool many)
{
	struct mu_points *all = points_all();
	struct mu_point *point = arena_at(offset);
	int64_t size = points_size(to), change = size - points_size(from);

	if (!offset)
		return;
	if (!many && change < 0)
		points_fall(all, all->now);
	points_count(all, size, many);
	uint64_t now = points_time(all);
	bool is_locked = points_lock(point, many);
	points_keep_peak(all, point);
	if (change < 0)
		points_note_max(point);
	point->live_bytes += change;
	point->total_bytes += (uint64_t)size;
	point->total_blocks++;
	points_unlock(point, is_locked);
	if (many)
		return;
	all->now += change;
	if (change >= 0)
		all->last_time = now;
}

void points_begin_with(uint64_t offset, uint64_t blocks, uint64_t bytes)
{
	struct mu_points *all = points_all();
	struct mu_point *point = arena_at(offset);

	if (!offset)
		return;
	point->live_bytes += (int64_t)bytes;
	point->live_blocks += (int64_t)blocks;
	point->total_bytes += bytes;
	point->total_blocks += blocks;
	point->life -= (int64_t)(blocks * all->start_time);
	all->now += (int64_t)bytes;
}

/* The time since points_free() is not in its life: microseconds. */
void points_put_back(uint64_t offset, uint64_t requested, bool many)
{
	struct mu_points *all = points_all();
	struct mu_point *point = arena_at(offset);
	int64_t size = points_size(requested);

	if (!offset)
		return;
	bool is_locked = points_lock(point, many);
	points_keep_peak(all, point);
	point->live_bytes += size;
	point->live_blocks++;
	point->life -= (int64_t)points_time(all);
	points_unlock(point, is_locked);
	if (!many)
		all->now += size;
}

/* ---- begin ------------------------------------------------------------------------------- */

static uint32_t shift_of_clock(uint32_t clock)
{
	return clock == MU_CLOCK_TICKS ? TICKS_SHIFT : clock <= MU_CLOCK_CPU ? NS_SHIFT : 0;
}

bool points_init(void)
{
	struct mu_points *all;

	arena_table_init(MU_SEC_POINTS, sizeof(struct mu_point), FIRST_LOG2);
	points.numbers = (struct hash_table){ 0 };
	rec.image->points = arena_alloc(sizeof(*all), 64);
	if (!rec.image->points || !hash_reserve(&points.numbers, INDEX_LOG2))
		return false;
	all = points_all();
	all->clock = rec.segment->config.point_clock;
	all->shift = shift_of_clock(all->clock);
	note_end_times(all);
	all->start_time = all->end_time;
	all->start_ns = all->end_ns;
	all->start_ticks = all->end_ticks;
	return true;
}
