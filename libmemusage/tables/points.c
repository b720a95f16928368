/* points.c -- program points: their table, and the times that they count by.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/points.h"

#include <stddef.h>
#include <time.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/tables/instructions.h"

#define FIRST_LOG2 3
#define INDEX_LOG2 9
/* Sums of lifetimes have 63 bits: in units of 2^5 ns they hold 10 million blocks for a year, and
 * one block's error is 32 ns; in units of 2^6 ticks it is about the same. */
#define TICKS_SHIFT 6
#define NS_SHIFT 5

/* Numbers + 1 of points by the hash of their frames; 0: empty. Under the lock of the sites. */
static uint32_t *index_of;
static unsigned int index_log2;
static uint64_t cpu_ns; /* of the process, as read last */

static struct mu_table *table(void)
{
	return &rec.image->table[MU_SEC_POINTS];
}

static struct mu_point *point_at(uint64_t number)
{
	return arena_table_at(table(), number);
}

/* ---- which point ------------------------------------------------------------------------- */

static uint32_t frames_of(const struct walk *walk)
{
	uint32_t depth = rec.segment->config.point_depth;
	uint32_t frames = walk ? walk->count : 0;

	return depth && frames > depth - 1 ? depth - 1 : frames;
}

/* Of the innermost frames only: the walk's own hash is of all. */
static uint64_t hash_of(const struct walk *walk, uint32_t frames)
{
	uint64_t hash = frames + 1;

	for (uint32_t i = 0; i < frames; i++) {
		hash = (hash ^ walk->frame[walk->count - 1 - i].pc) *
		       UINT64_C(0x9E3779B97F4A7C15);
		hash ^= hash >> 32;
	}
	return hash;
}

static void insert(uint64_t hash, uint32_t number)
{
	uint64_t mask = (UINT64_C(1) << index_log2) - 1, i = hash & mask;

	while (index_of[i])
		i = (i + 1) & mask;
	index_of[i] = number + 1;
}

static bool grow_index(void)
{
	uint64_t size = UINT64_C(1) << index_log2;
	uint32_t *old = index_of, *bigger = memory_map(2 * size * sizeof(*bigger));

	if (!bigger)
		return false;
	index_of = bigger;
	index_log2++;
	for (uint64_t i = 0; i < size; i++)
		if (old[i])
			insert(point_at(old[i] - 1)->hash, old[i] - 1);
	memory_unmap(old, size * sizeof(*old));
	return true;
}

uint32_t points_find(const struct walk *walk, uint32_t site)
{
	uint32_t frames = frames_of(walk);
	uint64_t hash = hash_of(walk, frames), count = table()->count;
	uint64_t mask = (UINT64_C(1) << index_log2) - 1;

	for (uint64_t i = hash & mask; index_of[i]; i = (i + 1) & mask)
		if (point_at(index_of[i] - 1)->hash == hash)
			return index_of[i];
	if (count * 2 > mask && !grow_index())
		return 0;
	struct mu_point *point = count < UINT32_MAX - 1 ? point_at(count) : NULL;
	if (!point)
		return 0;
	point->hash = hash;
	point->site = site;
	point->frames = frames;
	point->epoch = points_all()->epoch;
	__atomic_store_n(&table()->count, count + 1, __ATOMIC_RELEASE);
	insert(hash, (uint32_t)count);
	return (uint32_t)count + 1;
}

uint64_t points_of(uint32_t number)
{
	const struct mu_site *site = arena_table_at(&rec.image->table[MU_SEC_SITES], number);
	const struct mu_point *point = site && site->point ? point_at(site->point - 1) : NULL;

	return point ? (uint64_t)((const uint8_t *)point - rec.base) : 0;
}

/* ---- time -------------------------------------------------------------------------------- */

/* By the kernel alone, see emulated_event.h. */
static uint64_t kernel_ns_of(clockid_t clock, uint64_t otherwise)
{
	struct timespec now;

	if (sandbox_is_on || sys_failed(SYS2(SYS_clock_gettime, clock, &now)))
		return otherwise;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Not taken in: emulated_event.h needs it to be apart. */
__attribute__((noinline)) uint64_t points_time_slow(const struct mu_points *all)
{
	switch (all->clock) {
	case MU_CLOCK_NS:
		return clock_ns(CLOCK_MONOTONIC) >> all->shift;
	case MU_CLOCK_CPU:
		return __atomic_load_n(&cpu_ns, __ATOMIC_RELAXED) >> all->shift;
	case MU_CLOCK_INSTRUCTIONS:
		instructions_update();
		return __atomic_load_n(instructions_sum(), __ATOMIC_RELAXED);
	default:
		return __atomic_load_n(&all->counter, __ATOMIC_RELAXED);
	}
}

static void take_end(struct mu_points *all)
{
	if (all->clock == MU_CLOCK_CPU)
		__atomic_store_n(&cpu_ns, kernel_ns_of(CLOCK_PROCESS_CPUTIME_ID, cpu_ns),
				 __ATOMIC_RELAXED);
	all->end_ns = kernel_ns_of(CLOCK_MONOTONIC, coarse_clock_ns());
	all->end_ticks = cpu_ticks();
	all->end_time = all->clock == MU_CLOCK_TICKS ? all->end_ticks >> all->shift
						     : points_time_slow(all);
}

void points_ticked(struct mu_points *all, uint64_t tick)
{
	if (!spin_try(&all->lock))
		return;
	take_end(all);
	all->tick = tick;
	spin_unlock(&all->lock);
}

void points_exit(void)
{
	if (rec.image->points)
		take_end(points_all());
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

/* ---- begin ------------------------------------------------------------------------------- */

static uint32_t shift_of(uint32_t clock)
{
	return clock == MU_CLOCK_TICKS ? TICKS_SHIFT : clock <= MU_CLOCK_CPU ? NS_SHIFT : 0;
}

bool points_init(void)
{
	struct mu_points *all;

	arena_table_init(MU_SEC_POINTS, sizeof(struct mu_point), FIRST_LOG2);
	index_log2 = INDEX_LOG2;
	index_of = memory_map(sizeof(*index_of) << INDEX_LOG2);
	rec.image->points = arena_alloc(sizeof(*all), 64);
	if (!index_of || !rec.image->points)
		return false;
	all = points_all();
	all->clock = rec.segment->config.point_clock;
	all->shift = shift_of(all->clock);
	take_end(all);
	all->start_time = all->end_time;
	all->start_ns = all->end_ns;
	all->start_ticks = all->end_ticks;
	return true;
}
