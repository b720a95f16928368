/* snapshots.c -- taking, culling and storing snapshots.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/snapshots.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/tables/instructions.h"
#include "libmemusage/tables/site_totals.h"
#include "libmemusage/tables/snapshot_log.h"
#include "libmemusage/tables/stack_sum.h"
#include "recording/points.h"

#define FIRST_LOG2 4
#define VALUES_LIMIT (UINT64_C(64) << 20) /* bytes of site values per image */
#define NORMAL_LIMIT (VALUES_LIMIT / 4 * 3) /* ... that those of normal snapshots may take */
#define MAX_SNAPSHOTS 1000u		  /* Massif's largest --max-snapshots */
/* What values_cost() says may be spent on normal snapshots, at 7 to 20 ns: 4 to 10 ms at first,
 * then 1 % of the time. By other clocks than time most are taken at first. */
#define FIRST_COST 500000u
#define FIRST_COST_UNTIMED 5000000u
#define TICK_COST 500u

static const uint64_t no_time;
struct snapshot_due snapshot_due = { .time = UINT64_MAX, .peak_total = INT64_MAX,
				     .now = &no_time };

/* A moment: its time in the unit chosen and, as thousands of events may share a millisecond, the
 * byte clock, which decides between equal times. By the byte clock the two are one. */
struct moment {
	uint64_t time;
	uint64_t clock;
};

/* A snapshot of the series: its moment and its place in the table. */
struct entry {
	struct moment when;
	uint32_t number;
	struct values values;
};

snapshots_watcher *snapshots_watch;

static struct entry series[MAX_SNAPSHOTS];
static uint32_t series_count;
static uint32_t since_detailed;
static struct moment due; /* the next one; see set_due() */
static struct moment min_interval;
static int64_t peak_total;   /* at the last peak */
static uint32_t peak_number; /* its number + 1, 0 none */
static uint64_t requested_values;
static uint32_t requested_capacity; /* of the array of the requested snapshot */
static uint64_t first_tick;
static uint64_t normal_cost; /* of normal snapshots so far */

static struct mu_table *table(unsigned int section)
{
	return &rec.image->table[section];
}

static struct mu_snapshot *snapshot(uint32_t number)
{
	return arena_table_at(table(MU_SEC_SNAPSHOTS), number);
}

static const struct mu_config *config(void)
{
	return &rec.segment->config;
}

static uint32_t max_snapshots(void)
{
	uint32_t max = config()->max_snapshots;

	return max > MAX_SNAPSHOTS ? MAX_SNAPSHOTS : max < 10 ? 10 : max;
}

/* ---- the series, under the lock ----------------------------------------------------------- */

static bool is_peak(const struct entry *entry)
{
	return entry->number + 1 == peak_number;
}

static void forget_values(struct entry *entry)
{
	struct mu_snapshot *s = snapshot(entry->number);

	s->packed = s->packed_bytes = 0;
	values_free(&entry->values);
}

static void cull_one(uint32_t i)
{
	forget_values(&series[i]);
	memmove(&series[i], &series[i + 1], (series_count - i - 1) * sizeof(series[0]));
	series_count--;
}

/* Closes up the table: it holds the series and nothing else, however long the run. */
static void close_up(void)
{
	for (uint32_t i = 0; i < series_count; i++) {
		if (series[i].number == i)
			continue;
		if (is_peak(&series[i]))
			peak_number = i + 1;
		*snapshot(i) = *snapshot(series[i].number);
		series[i].number = i;
	}
	__atomic_store_n(&table(MU_SEC_SNAPSHOTS)->count, series_count, __ATOMIC_RELEASE);
}

static bool is_before(struct moment a, struct moment b)
{
	return a.time != b.time ? a.time < b.time : a.clock < b.clock;
}

static struct moment span(uint32_t from, uint32_t to)
{
	return (struct moment){ series[to].when.time - series[from].when.time,
				series[to].when.clock - series[from].when.clock };
}

#define FOREVER ((struct moment){ UINT64_MAX, UINT64_MAX })

/* By milliseconds, not closer than if the whole series were evenly spread: the smallest gap alone
 * lets a program of a second have thousands of snapshots, for the hundred that stay. */
static void spread_out(void)
{
	struct moment all = span(0, series_count - 1);

	all.time /= max_snapshots();
	all.clock /= max_snapshots();
	if (min_interval.time < all.time)
		min_interval = all;
	else if (!min_interval.time && min_interval.clock < all.clock)
		min_interval.clock = all.clock;
}

/* The smallest gap that is left, not counting gaps between two that could not go. */
static void set_min_interval(void)
{
	min_interval = FOREVER;
	for (uint32_t i = 1; i < series_count; i++) {
		bool fixed = (i == 1 || is_peak(&series[i - 1])) &&
			     (i + 1 == series_count || is_peak(&series[i]));
		if (!fixed && is_before(span(i - 1, i), min_interval))
			min_interval = span(i - 1, i);
	}
	if (min_interval.time == UINT64_MAX)
		min_interval = (struct moment){ 0, 0 };
	if (snapshot_due.now == &rec.segment->tick)
		spread_out();
	/* The clock tells moments apart that time does not, nothing else. */
	if (min_interval.time > 0)
		min_interval.clock = 0;
}

/* Half of the series goes: each time the one with the smallest span between its neighbours,
 * never the first, the last or the peak. The smallest gap then is the new least interval. */
static void cull(void)
{
	for (uint32_t n = series_count / 2; n; n--) {
		uint32_t best = 0;
		struct moment least = FOREVER;
		for (uint32_t i = 1; i + 1 < series_count; i++) {
			if (!is_peak(&series[i]) && is_before(span(i - 1, i + 1), least)) {
				best = i;
				least = span(i - 1, i + 1);
			}
		}
		if (!best)
			break;
		cull_one(best);
	}
	set_min_interval();
	close_up();
}

static void set_peak_threshold(void)
{
	/* Without floating point, and without an overflow: see "Patching" in docs/design.md. */
	int64_t ppm = config()->peak_inaccuracy_ppm;
	int64_t margin = peak_total / 1000000 * ppm + peak_total % 1000000 * ppm / 1000000;

	__atomic_store_n(&snapshot_due.peak_total, peak_total + margin - depths_now(),
			 __ATOMIC_RELAXED);
}

/* Events compare without stacks: the threshold is what is left for the heap. */
void snapshots_stacks(int64_t change)
{
	if (snapshot_due.is_on)
		__atomic_fetch_sub(&snapshot_due.peak_total, change, __ATOMIC_RELAXED);
}

static uint64_t monotonic(void)
{
	struct timespec now = { 0 };

	/* A filter may allow no system call for it: then the coarse clock must do. */
	if (sandbox_is_on)
		return coarse_clock_ns();
	/* Not by libc, see emulated_event.h. */
	SYS2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Detailed snapshots and peaks are worth their pause. The others must not slow down a program that
 * has very many sites, or, by the byte clock, thousands of snapshots in a millisecond. */
static bool is_cheap(uint64_t tick)
{
	bool is_timed = snapshot_due.now == &rec.segment->tick;
	uint64_t first = is_timed ? FIRST_COST : FIRST_COST_UNTIMED;
	uint64_t cost = values_cost();

	if (normal_cost + cost > first + (tick - first_tick) * TICK_COST)
		return false;
	normal_cost += cost;
	return true;
}

/* Room for others: every second normal snapshot that has values loses them, or each. */
static void thin_out(bool all)
{
	bool goes = true;

	for (uint32_t i = 0; i < series_count; i++) {
		struct entry *entry = &series[i];
		if (!entry->values.pieces || snapshot(entry->number)->kind != MU_SNAPSHOT_NORMAL)
			continue;
		if (goes || all)
			forget_values(entry);
		goes = !goes;
	}
}

static struct values store_values(struct mu_snapshot *s)
{
	bool is_normal = s->kind == MU_SNAPSHOT_NORMAL;
	uint64_t limit = is_normal ? NORMAL_LIMIT : VALUES_LIMIT;
	struct values v = { 0 };
	uint64_t used;

	if (!values_sum(&s->sites, &used))
		return v;
	if (!values_store(&v, limit)) {
		thin_out(!is_normal);
		if (!values_store(&v, limit))
			rec.image->drops.snapshots++;
	}
	s->packed = v.first;
	s->packed_bytes = v.bytes;
	return v;
}

/* Readers outside see by the number whether the table changed under their hands. */
static void begin_change(void)
{
	__atomic_fetch_add(&rec.image->snapshots_serial, 1, __ATOMIC_SEQ_CST);
}

static void end_change(void)
{
	__atomic_fetch_add(&rec.image->snapshots_serial, 1, __ATOMIC_SEQ_CST);
}

/* Nobody but the events themselves looks at the CPU's counter: so all of them are to come. */
static void set_due(uint64_t time, uint64_t clock)
{
	due = (struct moment){ time, clock };
	snapshot_due.time = snapshots_watch || instructions_by_cpu() ? 0 : time;
}

static uint64_t time_now(void)
{
	instructions_update();
	return snapshots_now();
}

/* Of how things stand, and stood AGO milliseconds before: not 0 only if that is the unit. */
static void add_dated(enum mu_snapshot_kind kind, uint64_t ago)
{
	uint64_t number = table(MU_SEC_SNAPSHOTS)->count;
	struct mu_snapshot *s = arena_table_at(table(MU_SEC_SNAPSHOTS), number);
	const struct mu_heap *heap = &rec.image->heap;
	uint64_t now = time_now() - ago;
	uint64_t tick = __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED) - ago;
	struct values values = { 0 };

	if (!s || number >= UINT32_MAX) {
		rec.image->drops.snapshots++;
		set_due(UINT64_MAX, UINT64_MAX);
		return;
	}
	*s = (struct mu_snapshot){ .mono_ns = monotonic() - ago * 1000000,
				   .clock_bytes = heap->clock,
				   .instructions = *instructions_sum(),
				   .heap = heap->now - heap->ignored,
				   .extra = heap->extra + heap->ignored,
				   .stacks = depths_now(),
				   .kind = kind,
				   .tick = (uint32_t)tick };
	/* The tick is late at times. */
	if (ago && series_count && s->mono_ns < snapshot(series[series_count - 1].number)->mono_ns)
		s->mono_ns = snapshot(series[series_count - 1].number)->mono_ns;
	if (rec.flags & MU_CFG_STACK_BYTES)
		s->stacks += depths_unseen();
	if (kind != MU_SNAPSHOT_NORMAL || is_cheap(tick))
		values = store_values(s);
	__atomic_store_n(&table(MU_SEC_SNAPSHOTS)->count, number + 1, __ATOMIC_RELEASE);
	journal_add(s, now);
	if (kind == MU_SNAPSHOT_PEAK) {
		peak_total = heap->now + heap->extra + s->stacks;
		peak_number = (uint32_t)number + 1;
		set_peak_threshold();
	}
	since_detailed = kind == MU_SNAPSHOT_NORMAL ? since_detailed + 1 : 0;
	series[series_count++] = (struct entry){ { now, heap->clock }, (uint32_t)number, values };
	if (series_count == max_snapshots())
		cull();
	set_due(now + min_interval.time, heap->clock + min_interval.clock);
}

static void add(enum mu_snapshot_kind kind)
{
	add_dated(kind, 0);
}

/* The last peak, if it is still in the series, is an ordinary detailed one from now on. */
static void demote_peak(void)
{
	if (peak_number)
		snapshot(peak_number - 1)->kind = MU_SNAPSHOT_DETAILED;
}

static const uint64_t *clock_of(uint32_t unit)
{
	return unit == MU_UNIT_INSTRUCTIONS ? instructions_sum() :
	       unit == MU_UNIT_BYTES	    ? &rec.image->heap.clock :
					      &rec.segment->tick;
}

void snapshots_find_clock(void)
{
	snapshot_due.now = clock_of(config()->time_unit);
}

bool snapshots_init(void)
{
	arena_table_init(MU_SEC_SNAPSHOTS, sizeof(struct mu_snapshot), FIRST_LOG2);
	series_count = since_detailed = peak_number = 0;
	min_interval = (struct moment){ 0, 0 };
	values_init();
	first_tick = __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED);
	normal_cost = 0;
	peak_total = 0;
	snapshot_due = (struct snapshot_due){ .admin = config()->heap_admin,
					      .now = clock_of(config()->time_unit),
					      .is_on = config()->max_snapshots != 0,
					      .time = UINT64_MAX,
					      .peak_total = INT64_MAX };
	if (!snapshot_due.is_on)
		return true;
	journal_init();
	set_peak_threshold();
	add(config()->detailed_freq == 1 ? MU_SNAPSHOT_DETAILED : MU_SNAPSHOT_NORMAL);
	return series_count == 1;
}

static bool is_due(void)
{
	uint64_t now = time_now();

	return now > due.time || (now == due.time && rec.image->heap.clock >= due.clock);
}

/* Not taken in, nor is snapshots_peak(): emulated_event.h needs them to be apart. */
static __attribute__((noinline)) void take_due(void)
{
	if (!snapshot_due.is_on || snapshot_due.waits || !is_due() || !spin_try(&locks.snapshots))
		return;
	if (is_due()) {
		begin_change();
		add(since_detailed + 1 >= config()->detailed_freq ? MU_SNAPSHOT_DETAILED
								   : MU_SNAPSHOT_NORMAL);
		end_change();
	}
	spin_unlock(&locks.snapshots);
}

/* Not taken in, for the same reason. */
__attribute__((noinline)) void snapshots_thresholds(void)
{
	if (snapshots_watch && !snapshot_due.waits)
		snapshots_watch();
}

void snapshots_take(void)
{
	snapshots_thresholds();
	take_due();
}

/* The last snapshot becomes one of how things stand. */
static void refresh(struct entry *last)
{
	const struct mu_heap *heap = &rec.image->heap;
	struct mu_snapshot *s = snapshot(last->number);

	s->heap = heap->now - heap->ignored;
	s->extra = heap->extra + heap->ignored;
	s->clock_bytes = heap->clock;
	s->instructions = *instructions_sum();
	s->stacks = depths_now();
	if (rec.flags & MU_CFG_STACK_BYTES)
		s->stacks += depths_unseen();
	if (s->packed || is_cheap(snapshot_due.tick)) {
		forget_values(last);
		s->sites = 0;
		last->values = store_values(s);
	}
	last->when.clock = heap->clock;
	set_due(last->when.time + min_interval.time, heap->clock + min_interval.clock);
}

/* Nothing happened from LAST_TICK to TICK. A pause longer than the least interval has a snapshot of
 * its own: the last one may be of how things stood all through the pause before, which would be
 * lost. */
static void note_pause(uint64_t last_tick, uint64_t tick)
{
	struct entry *last = &series[series_count - 1];
	bool is_long = min_interval.time > 0 && tick - last_tick > min_interval.time;

	if (last->when.clock == rec.image->heap.clock)
		return;
	bool is_same = last->when.time == last_tick && !is_peak(last);
	if (!is_long && !is_same)
		return;
	begin_change();
	if (is_long)
		add_dated(MU_SNAPSHOT_NORMAL, rec.segment->tick - last_tick);
	else
		refresh(last);
	end_change();
}

void snapshots_quiet(uint64_t tick)
{
	uint64_t last_tick = snapshot_due.tick;

	if (snapshot_due.waits)
		return;
	snapshot_due.tick = tick;
	if (!snapshot_due.is_on || snapshot_due.now != &rec.segment->tick ||
	    tick < last_tick + 2 || !series_count || !spin_try(&locks.snapshots))
		return;
	note_pause(last_tick, tick);
	spin_unlock(&locks.snapshots);
}

__attribute__((noinline)) void snapshots_peak(void)
{
	const struct mu_heap *heap = &rec.image->heap;

	if (snapshot_due.waits || !spin_try(&locks.snapshots))
		return;
	if (heap->now + heap->extra > snapshot_due.peak_total) {
		begin_change();
		demote_peak();
		add(MU_SNAPSHOT_PEAK);
		end_change();
	}
	spin_unlock(&locks.snapshots);
}

/* What threads keep back is counted in. */
static void add_pending(struct thread *thread, void *data)
{
	struct mu_snapshot *s = data;

	s->heap += thread->pub.pending_heap - thread->pending_ignored;
	s->extra += thread->pending_extra + thread->pending_ignored;
	s->clock_bytes += thread->pending_clock;
}

/* Into an array of its own, which grows, and is never given back. */
static void put_all_values(struct mu_snapshot *s, uint64_t *room, uint32_t *capacity)
{
	uint64_t used;

	if (!values_sum(&s->sites, &used))
		return;
	if (used > *capacity) {
		/* Each new page costs 1 to 7 us. */
		uint64_t count = used + used / 4;
		*room = arena_alloc(count * sizeof(struct mu_site_value), 64);
		*capacity = *room ? (uint32_t)count : 0;
	}
	s->values = *room;
	s->value_count = values_array(arena_at(*room), *capacity);
}

static struct mu_snapshot present(void)
{
	const struct mu_heap *heap = &rec.image->heap;
	struct mu_snapshot s = { .mono_ns = monotonic(),
				 .heap = heap->now - heap->ignored,
				 .extra = heap->extra + heap->ignored,
				 .stacks = depths_now(),
				 .clock_bytes = heap->clock,
				 .kind = MU_SNAPSHOT_REQUESTED };

	thread_for_each(add_pending, &s);
	return s;
}

bool snapshots_show(struct mu_snapshot *s, uint64_t *room, uint32_t *capacity)
{
	if (!spin_lock(&locks.snapshots))
		return false;
	*s = present();
	put_all_values(s, room, capacity);
	spin_unlock(&locks.snapshots);
	return s->values || !s->heap;
}

void snapshots_request(bool detailed)
{
	uint64_t cells = __atomic_load_n(&table(MU_SEC_CELLS)->count, __ATOMIC_ACQUIRE);
	struct mu_snapshot *s;

	if (!spin_lock(&locks.snapshots))
		return;
	if (!rec.image->requested)
		rec.image->requested = arena_alloc(sizeof(*s), 64);
	if (rec.image->requested) {
		s = arena_at(rec.image->requested);
		*s = present();
		if (detailed && snapshot_due.is_on && cells <= SNAPSHOTS_REQUEST_CELLS)
			put_all_values(s, &requested_values, &requested_capacity);
	}
	spin_unlock(&locks.snapshots);
}

/* With several threads a fall is noticed when it is published: the sum before it counts. */
void snapshots_publish(struct thread *thread)
{
	struct mu_heap *heap = &rec.image->heap;

	if (!snapshot_due.is_on)
		return;
	if (thread->pub.pending_heap < 0 && heap->now + heap->extra > snapshot_due.peak_total)
		snapshots_peak();
	__atomic_fetch_add(&heap->extra, thread->pending_extra, __ATOMIC_RELAXED);
	__atomic_fetch_add(&heap->clock, thread->pending_clock, __ATOMIC_RELAXED);
	__atomic_fetch_add(&heap->ignored, thread->pending_ignored, __ATOMIC_RELAXED);
	thread->pending_extra = thread->pending_ignored = 0;
	thread->pending_clock = 0;
	take_due();
}
