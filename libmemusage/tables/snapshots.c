/* snapshots.c -- taking, culling and storing snapshots.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/snapshots.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/tables/instructions.h"
#include "libmemusage/tables/moment.h"
#include "libmemusage/tables/site_totals.h"
#include "libmemusage/tables/snapshot_log.h"
#include "libmemusage/tables/stack_sum.h"
#include "recording/points.h"

#define FIRST_LOG2 4
#define VALUES_LIMIT (UINT64_C(64) << 20) /* bytes of site values per image */
#define NORMAL_LIMIT (VALUES_LIMIT / 4 * 3) /* ... that those of normal snapshots may take */
#define MARKS_KEPT 4u /* a series has 10 at least; first, last and peak stay, too */
#define MAX_SNAPSHOTS 1000u		  /* Massif's largest --max-snapshots */
/* Limits of site_totals_cost() for normal snapshots, at 7 to 20 ns: 4 to 10 ms at first, then 1 %
 * of the time. By other clocks than time most are taken at first. */
#define FIRST_COST 500000u
#define FIRST_COST_UNTIMED 5000000u
#define TICK_COST 500u

static const uint64_t no_time;
struct snapshot_due snapshot_due = { .time = UINT64_MAX, .peak_total = INT64_MAX,
				     .now = &no_time };

/* A snapshot of the series: its moment and its place in the table. */
struct series_entry {
	struct moment when;
	uint32_t number;
	bool is_kept; /* of one of the last marks: it is not culled */
	struct site_totals values;
};

/* The snapshots of the image, in the order of their moments. Under the lock. */
static struct {
	struct series_entry entry[MAX_SNAPSHOTS];
	uint32_t count;
	uint32_t since_detailed;
	struct moment due; /* the next one; see set_next_due() */
	struct moment min_interval;
	int64_t peak_total;   /* at the last peak */
	uint32_t peak_number; /* its number + 1, 0 none */
	uint64_t first_tick;
	uint64_t normal_cost; /* of normal snapshots so far */
} series;

static struct mu_snapshot *snapshot_at(uint32_t number)
{
	return arena_table_at(section_table(MU_SEC_SNAPSHOTS), number);
}

static const struct mu_config *snapshot_config(void)
{
	return &rec.segment->config;
}

static uint32_t max_series_length(void)
{
	uint32_t max = snapshot_config()->max_snapshots;

	return max > MAX_SNAPSHOTS ? MAX_SNAPSHOTS : max < 10 ? 10 : max;
}

/* ---- the series, under the lock ----------------------------------------------------------- */

static bool is_peak_entry(const struct series_entry *entry)
{
	return entry->number + 1 == series.peak_number;
}

static void drop_site_totals(struct series_entry *entry)
{
	struct mu_snapshot *s = snapshot_at(entry->number);

	s->packed = s->packed_bytes = 0;
	site_totals_free(&entry->values);
}

static void cull_snapshot(uint32_t i)
{
	drop_site_totals(&series.entry[i]);
	memmove(&series.entry[i], &series.entry[i + 1],
		(series.count - i - 1) * sizeof(series.entry[0]));
	series.count--;
}

/* Removes culled snapshots from the table, which has the series only, however long the run. */
static void compact_table(void)
{
	for (uint32_t i = 0; i < series.count; i++) {
		if (series.entry[i].number == i)
			continue;
		if (is_peak_entry(&series.entry[i]))
			series.peak_number = i + 1;
		*snapshot_at(i) = *snapshot_at(series.entry[i].number);
		series.entry[i].number = i;
	}
	__atomic_store_n(&section_table(MU_SEC_SNAPSHOTS)->count, series.count, __ATOMIC_RELEASE);
}

static struct moment span_between(uint32_t from, uint32_t to)
{
	return (struct moment){ series.entry[to].when.time - series.entry[from].when.time,
				series.entry[to].when.clock - series.entry[from].when.clock };
}

static bool is_timed(void)
{
	return snapshot_due.now == &rec.segment->tick;
}

#define FOREVER ((struct moment){ UINT64_MAX, UINT64_MAX })

/* Raises the least interval, by milliseconds, to that of an evenly spread series. With the smallest
 * gap alone, a program of a second takes thousands of snapshots for the hundred that stay. */
static void spread_min_interval(void)
{
	struct moment all = span_between(0, series.count - 1);

	all.time /= max_series_length();
	all.clock /= max_series_length();
	if (series.min_interval.time < all.time)
		series.min_interval = all;
	else if (!series.min_interval.time && series.min_interval.clock < all.clock)
		series.min_interval.clock = all.clock;
}

/* Sets the least interval to the smallest gap, but not between two that cannot be culled. */
static void set_min_interval(void)
{
	series.min_interval = FOREVER;
	for (uint32_t i = 1; i < series.count; i++) {
		bool fixed = (i == 1 || is_peak_entry(&series.entry[i - 1])) &&
			     (i + 1 == series.count || is_peak_entry(&series.entry[i]));
		if (!fixed && moment_is_earlier(span_between(i - 1, i), series.min_interval))
			series.min_interval = span_between(i - 1, i);
	}
	if (series.min_interval.time == UINT64_MAX)
		series.min_interval = (struct moment){ 0, 0 };
	if (is_timed())
		spread_min_interval();
	/* The byte clock only orders moments of equal time. */
	if (series.min_interval.time > 0)
		series.min_interval.clock = 0;
}

/* Culls half of the series: each time the one with the smallest span between its neighbours, never
 * the first, the last, the peak or that of a late mark. The smallest gap then is the new least
 * interval. */
static void cull_series(void)
{
	for (uint32_t n = series.count / 2; n; n--) {
		uint32_t best = 0;
		struct moment least = FOREVER;
		for (uint32_t i = 1; i + 1 < series.count; i++) {
			if (!is_peak_entry(&series.entry[i]) && !series.entry[i].is_kept &&
			    moment_is_earlier(span_between(i - 1, i + 1), least)) {
				best = i;
				least = span_between(i - 1, i + 1);
			}
		}
		if (!best)
			break;
		cull_snapshot(best);
	}
	set_min_interval();
	compact_table();
}

static void set_peak_threshold(void)
{
	/* Without floating point, and without an overflow: see "Patching" in docs/design.md. */
	int64_t ppm = snapshot_config()->peak_inaccuracy_ppm;
	int64_t margin =
		series.peak_total / 1000000 * ppm + series.peak_total % 1000000 * ppm / 1000000;

	__atomic_store_n(&snapshot_due.peak_total, series.peak_total + margin - stack_sum_now(),
			 __ATOMIC_RELAXED);
}

/* Events compare the heap without stacks, so the threshold is less by their sum. */
void snapshots_stacks(int64_t change)
{
	if (snapshot_due.is_on)
		__atomic_fetch_sub(&snapshot_due.peak_total, change, __ATOMIC_RELAXED);
}

/* Detailed snapshots and peaks always have values. Those of the others must not slow down a program
 * with very many sites or, by the byte clock, thousands of snapshots in a millisecond. */
static bool is_affordable(uint64_t tick)
{
	uint64_t first = is_timed() ? FIRST_COST : FIRST_COST_UNTIMED;
	uint64_t cost = site_totals_cost();

	if (series.normal_cost + cost > first + (tick - series.first_tick) * TICK_COST)
		return false;
	series.normal_cost += cost;
	return true;
}

/* Frees the values of every second normal snapshot, or of all, to make room for others. */
static void thin_out_totals(bool all)
{
	bool goes = true;

	for (uint32_t i = 0; i < series.count; i++) {
		struct series_entry *entry = &series.entry[i];
		if (!entry->values.pieces || snapshot_at(entry->number)->kind != MU_SNAPSHOT_NORMAL)
			continue;
		if (goes || all)
			drop_site_totals(entry);
		goes = !goes;
	}
}

static struct site_totals store_site_totals(struct mu_snapshot *s)
{
	bool is_normal = s->kind == MU_SNAPSHOT_NORMAL;
	uint64_t limit = is_normal ? NORMAL_LIMIT : VALUES_LIMIT;
	struct site_totals v = { 0 };
	uint64_t used;

	if (!site_totals_add_up(&s->sites, &used))
		return v;
	if (!site_totals_store(&v, limit)) {
		thin_out_totals(!is_normal);
		if (!site_totals_store(&v, limit))
			rec.image->drops.snapshots++;
	}
	s->packed = v.first;
	s->packed_bytes = v.bytes;
	return v;
}

/* The serial number tells readers in other processes whether the table changed meanwhile. */
static void begin_table_change(void)
{
	__atomic_fetch_add(&rec.image->snapshots_serial, 1, __ATOMIC_SEQ_CST);
}

static void end_table_change(void)
{
	__atomic_fetch_add(&rec.image->snapshots_serial, 1, __ATOMIC_SEQ_CST);
}

/* With --sample the first ones are farther apart: each takes as long as two samples, 5 to 15 us. */
static struct moment least_interval(void)
{
	struct moment apart = { series.count / 4, 0 };

	return rec.flags & MU_CFG_SAMPLE && is_timed() && series.min_interval.time < apart.time ?
		       apart : series.min_interval;
}

/* The least interval after this one. Only events read the CPU's counter, so with it every event
 * must look. */
static void set_next_due(uint64_t time, uint64_t clock)
{
	struct moment apart = least_interval();

	series.due = (struct moment){ time + apart.time, clock + apart.clock };
	snapshot_due.time = snapshot_due.watch || instructions_by_cpu() ? 0 : series.due.time;
}

static uint64_t update_time_now(void)
{
	instructions_update();
	return snapshots_now();
}

static void set_present_state(struct mu_snapshot *s)
{
	const struct mu_heap *heap = &rec.image->heap;

	s->heap = heap->now - heap->ignored;
	s->extra = heap->extra + heap->ignored;
	s->clock_bytes = heap->clock;
	s->instructions = *instructions_sum();
	s->stacks = stack_sum_now();
	if (rec.flags & MU_CFG_STACK_BYTES)
		s->stacks += stack_sum_unseen();
}

/* Adds a snapshot of the present state, dated back by AGO milliseconds: 0 unless they are the
 * unit. */
static void add_dated_snapshot(enum mu_snapshot_kind kind, uint64_t ago)
{
	uint64_t number = section_table(MU_SEC_SNAPSHOTS)->count;
	struct mu_snapshot *s = arena_table_at(section_table(MU_SEC_SNAPSHOTS), number);
	const struct mu_heap *heap = &rec.image->heap;
	uint64_t now = update_time_now() - ago;
	uint64_t tick = __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED) - ago;
	struct site_totals values = { 0 };

	if (!s || number >= UINT32_MAX) {
		rec.image->drops.snapshots++;
		series.due = FOREVER;
		snapshot_due.time = UINT64_MAX;
		return;
	}
	*s = (struct mu_snapshot){ .mono_ns = clock_kernel_ns(CLOCK_MONOTONIC, coarse_clock_ns()) -
					      ago * 1000000,
				   .kind = kind,
				   .tick = (uint32_t)tick };
	set_present_state(s);
	/* The coarse clock is late at times. */
	if (ago && series.count &&
	    s->mono_ns < snapshot_at(series.entry[series.count - 1].number)->mono_ns)
		s->mono_ns = snapshot_at(series.entry[series.count - 1].number)->mono_ns;
	if (kind != MU_SNAPSHOT_NORMAL || is_affordable(tick))
		values = store_site_totals(s);
	__atomic_store_n(&section_table(MU_SEC_SNAPSHOTS)->count, number + 1, __ATOMIC_RELEASE);
	snapshot_log_append(s, now);
	if (kind == MU_SNAPSHOT_PEAK) {
		series.peak_total = heap->now + heap->extra + s->stacks;
		series.peak_number = (uint32_t)number + 1;
		set_peak_threshold();
	}
	series.since_detailed = kind == MU_SNAPSHOT_NORMAL ? series.since_detailed + 1 : 0;
	series.entry[series.count++] = (struct series_entry){ .when = { now, heap->clock },
							      .number = (uint32_t)number,
							      .values = values };
	if (series.count == max_series_length())
		cull_series();
	set_next_due(now, heap->clock);
}

static void add_snapshot(enum mu_snapshot_kind kind)
{
	add_dated_snapshot(kind, 0);
}

/* Makes the last peak, if it is still in the series, an ordinary detailed snapshot. */
static void demote_last_peak(void)
{
	if (series.peak_number)
		snapshot_at(series.peak_number - 1)->kind = MU_SNAPSHOT_DETAILED;
}

static const uint64_t *find_clock_of_unit(uint32_t unit)
{
	return unit == MU_UNIT_INSTRUCTIONS ? instructions_sum() :
	       unit == MU_UNIT_BYTES	    ? &rec.image->heap.clock :
					      &rec.segment->tick;
}

void snapshots_find_clock(void)
{
	snapshot_due.now = find_clock_of_unit(snapshot_config()->time_unit);
}

bool snapshots_init(void)
{
	arena_table_init(MU_SEC_SNAPSHOTS, sizeof(struct mu_snapshot), FIRST_LOG2);
	series.count = series.since_detailed = series.peak_number = 0;
	series.min_interval = (struct moment){ 0, 0 };
	site_totals_init();
	series.first_tick = __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED);
	series.normal_cost = 0;
	series.peak_total = 0;
	snapshot_due =
		(struct snapshot_due){ .admin = snapshot_config()->heap_admin,
				       .now = find_clock_of_unit(snapshot_config()->time_unit),
				       .is_on = snapshot_config()->max_snapshots != 0,
				       .watch = snapshot_due.watch,
				       .time = UINT64_MAX,
				       .peak_total = INT64_MAX };
	if (!snapshot_due.is_on)
		return true;
	snapshot_log_init();
	set_peak_threshold();
	add_snapshot(snapshot_config()->detailed_freq == 1 ? MU_SNAPSHOT_DETAILED :
							     MU_SNAPSHOT_NORMAL);
	return series.count == 1;
}

static bool is_snapshot_due(void)
{
	uint64_t now = update_time_now();

	return now > series.due.time ||
	       (now == series.due.time && rec.image->heap.clock >= series.due.clock);
}

/* Not inlined, nor is snapshots_peak(): tests/lint/native.t must see the calls
 * (emulated_event.h). */
static __attribute__((noinline)) void take_due_snapshot(void)
{
	if (!snapshot_due.is_on || snapshot_due.waits || !is_snapshot_due() ||
	    !spin_try(&locks.snapshots))
		return;
	if (is_snapshot_due()) {
		begin_table_change();
		add_snapshot(series.since_detailed + 1 >= snapshot_config()->detailed_freq ?
				     MU_SNAPSHOT_DETAILED :
				     MU_SNAPSHOT_NORMAL);
		end_table_change();
	}
	spin_unlock(&locks.snapshots);
}

/* Not inlined, for the same reason. */
__attribute__((noinline)) void snapshots_thresholds(void)
{
	if (snapshot_due.watch && !snapshot_due.waits)
		snapshot_due.watch();
}

void snapshots_take(void)
{
	snapshots_thresholds();
	take_due_snapshot();
}

/* Updates the last snapshot to the present state. */
static void refresh_snapshot(struct series_entry *last)
{
	const struct mu_heap *heap = &rec.image->heap;
	struct mu_snapshot *s = snapshot_at(last->number);

	set_present_state(s);
	if (s->packed || is_affordable(snapshot_due.tick)) {
		drop_site_totals(last);
		s->sites = 0;
		last->values = store_site_totals(s);
	}
	last->when.clock = heap->clock;
	set_next_due(last->when.time, heap->clock);
}

void snapshots_refresh_first(void)
{
	if (snapshot_due.is_on && series.count == 1)
		refresh_snapshot(&series.entry[0]);
}

/* Records that there was no event from LAST_TICK to TICK. A pause longer than the least interval
 * gets a snapshot of its own: an update of the last one could lose the state of the pause
 * before. */
static void record_pause(uint64_t last_tick, uint64_t tick)
{
	struct series_entry *last = &series.entry[series.count - 1];
	uint64_t interval = least_interval().time;
	bool is_long = interval > 0 && tick - last_tick > interval;

	if (last->when.clock == rec.image->heap.clock)
		return;
	bool is_same = last->when.time == last_tick && !is_peak_entry(last);
	if (!is_long && !is_same)
		return;
	begin_table_change();
	if (is_long)
		add_dated_snapshot(MU_SNAPSHOT_NORMAL, rec.segment->tick - last_tick);
	else
		refresh_snapshot(last);
	end_table_change();
}

void snapshots_before_tick(uint64_t tick)
{
	uint64_t last_tick = snapshot_due.tick;

	if (snapshot_due.waits)
		return;
	snapshot_due.tick = rec.image->event_tick = tick;
	if (!snapshot_due.is_on || !is_timed() || tick < last_tick + 2 ||
	    !series.count || !spin_try(&locks.snapshots))
		return;
	record_pause(last_tick, tick);
	spin_unlock(&locks.snapshots);
}

__attribute__((noinline)) void snapshots_peak(void)
{
	const struct mu_heap *heap = &rec.image->heap;

	if (snapshot_due.waits || !spin_try(&locks.snapshots))
		return;
	if (heap->now + heap->extra > snapshot_due.peak_total) {
		begin_table_change();
		demote_last_peak();
		add_snapshot(MU_SNAPSHOT_PEAK);
		end_table_change();
	}
	spin_unlock(&locks.snapshots);
}

/* The last snapshot stays from now on, instead of that of an older mark. */
static void keep_last_snapshot(void)
{
	uint32_t kept = 0;

	for (uint32_t i = series.count; i-- > 0 && kept <= MARKS_KEPT;) {
		series.entry[i].is_kept |= i + 1 == series.count;
		kept += series.entry[i].is_kept;
		series.entry[i].is_kept &= kept <= MARKS_KEPT;
	}
}

void snapshots_mark(bool always)
{
	uint64_t cells = __atomic_load_n(&section_table(MU_SEC_CELLS)->count, __ATOMIC_ACQUIRE);

	if (!snapshot_due.is_on || (cells > SNAPSHOTS_REQUEST_CELLS && !always) ||
	    !spin_try(&locks.snapshots))
		return;
	begin_table_change();
	add_snapshot(MU_SNAPSHOT_DETAILED);
	end_table_change();
	keep_last_snapshot();
	spin_unlock(&locks.snapshots);
}

/* With several threads a fall is noticed at its publication: the sum before it counts. */
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
	take_due_snapshot();
}
