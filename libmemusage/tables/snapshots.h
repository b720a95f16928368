/* snapshots.h -- the heap at chosen moments, by Massif's rules.
 *
 * Massif's rules decide when to take a snapshot or a peak, which snapshots are detailed and which
 * are culled (docs/compat.md), because its users compare numbers. Beyond Massif, each snapshot has
 * the values of all sites, so that reports can show a tree for any of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/tables/heap.h"
#include "recording/slop.h"

/* The values that events compare with. Private to the process; changes need the lock. */
struct snapshot_due {
	uint64_t time;	    /* earliest time of the next one, in the unit chosen; 0: look always */
	int64_t peak_total; /* useful and extra bytes above which a fall makes a peak */
	uint32_t admin;	    /* bytes charged per block */
	bool is_on;
	const uint64_t *now; /* the time in the unit chosen */
	uint64_t tick;	     /* the millisecond of the last event */
	uint32_t waits;	     /* events during which none can be taken */
	void (*watch)(void); /* called by snapshots_thresholds(); NULL while none is watched */
};

extern HIDDEN struct snapshot_due snapshot_due;

/* snapshots_init -- begin with a snapshot of the empty heap. Returns false without memory. */
bool snapshots_init(void);

/* snapshots_refresh_first -- set the first snapshot to the present state, before events. */
void snapshots_refresh_first(void);

/* snapshots_find_clock -- find the address of the time.
 *
 * Call it at start, when the emulator's plugin has said where it counts, and in a forked child,
 * whose image has moved, before the gate opens.
 */
void snapshots_find_clock(void);

/* The most cells that are added up for another process: within 0.4 ms, with new memory too. */
#define SNAPSHOTS_REQUEST_CELLS 8192u

/* snapshots_take -- take a snapshot if one is due, and look at watched thresholds.
 *
 * Does nothing if another thread takes one. Async-signal-safe. Costs O(cells): 0.1 ms for 10,000
 * sites.
 */
void snapshots_take(void);

/* snapshots_peak -- take a peak, before the heap falls from above the last one. As above. */
void snapshots_peak(void);

/* snapshots_mark -- add a detailed snapshot to the series, at a mark that another process set.
 *
 * always  however long it takes; otherwise nothing is done if there are so many cells that it would
 *         take longer than present_snapshot_publish().
 * Does nothing if there is no series, or if another thread takes a snapshot. Async-signal-safe.
 */
void snapshots_mark(bool always);

/* snapshots_stacks -- note a change of the sum of all stacks, which is part of a peak. */
void snapshots_stacks(int64_t change);

/* snapshots_publish -- with several threads: add a thread's pending changes, and look if one is
 * due. */
void snapshots_publish(struct thread *thread);

/* snapshots_thresholds -- look if the heap or the stacks crossed a threshold.
 *
 * Inside the hook, without locks. Async-signal-safe. Costs less than 1 ns while none is watched.
 */
void snapshots_thresholds(void);

/* snapshots_now -- return the time in the unit chosen, as it was read last (instructions.h). */
static inline uint64_t snapshots_now(void)
{
	return __atomic_load_n(snapshot_due.now, __ATOMIC_RELAXED);
}

/* snapshots_before_tick -- before the first event of another millisecond, with one thread.
 *
 * After a pause without events, the last snapshot should be of the state that the last event left,
 * because that was the state of the whole pause. So it is updated if it is of the same millisecond.
 * A pause longer than the least interval gets a snapshot of its own, dated back to its begin.
 * Async-signal-safe. Costs as much as a snapshot, or 2 ns.
 */
void snapshots_before_tick(uint64_t tick);

/* snapshots_note_tick -- note the millisecond of an event of one of several threads. Most find it
 * noted, so that they share its cache line. */
static inline void snapshots_note_tick(uint64_t tick)
{
	if (unlikely(tick != __atomic_load_n(&rec.image->event_tick, __ATOMIC_RELAXED)))
		__atomic_store_n(&rec.image->event_tick, tick, __ATOMIC_RELAXED);
}

/* snapshots_before -- look for a pause before an event changes anything, in millisecond `tick`, and
 * note the millisecond of the last event. */
static inline void snapshots_before(uint64_t tick, bool many)
{
	if (many)
		snapshots_note_tick(tick);
	else if (unlikely(tick != snapshot_due.tick))
		snapshots_before_tick(tick);
}

/* snapshots_before_fall -- take a peak before the heap falls, if it is far enough above the
 * last. */
static inline void snapshots_before_fall(bool many)
{
	const struct mu_heap *heap = &rec.image->heap;

	if (!many && unlikely(heap->now + heap->extra > snapshot_due.peak_total) &&
	    snapshot_due.is_on)
		snapshots_peak();
}

/* snapshots_changed -- note that the heap changed, and take a snapshot if one is due.
 *
 * extra   change of the extra bytes; the byte clock advances by `moved`.
 * Async-signal-safe. Costs 1 ns when none is due.
 */
static inline void snapshots_changed(struct thread *thread, int64_t extra, uint64_t moved,
				     bool many)
{
	struct mu_heap *heap = &rec.image->heap;

	if (many) {
		thread->pending_extra += extra;
		thread->pending_clock += moved;
		return;
	}
	heap->extra += extra;
	heap->clock += moved;
	if (unlikely(snapshots_now() >= snapshot_due.time))
		snapshots_take();
}

/* snapshots_suspend -- begin an event during which none can be taken: the next one finds it due.
 *
 * is_fall  the heap will fall.
 * Returns false if one is due now: then there can be no such event. Pair with snapshots_resume().
 * Async-signal-safe.
 */
static inline bool snapshots_suspend(bool is_fall, bool many)
{
	const struct mu_heap *heap = &rec.image->heap;
	uint64_t tick = __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED);

	/* Pending changes of several threads may be a fall. */
	if (snapshots_now() >= snapshot_due.time || (!many && snapshot_due.tick != tick) ||
	    ((is_fall || many) && snapshot_due.is_on &&
	     heap->now + heap->extra > snapshot_due.peak_total))
		return false;
	if (many)
		snapshots_note_tick(tick);
	__atomic_fetch_add(&snapshot_due.waits, 1, __ATOMIC_RELAXED);
	return true;
}

/* snapshots_resume -- end what snapshots_suspend() began. */
static inline void snapshots_resume(void)
{
	__atomic_fetch_sub(&snapshot_due.waits, 1, __ATOMIC_RELAXED);
}

/* snapshots_ignored -- note a change of the heap that Massif's accounting leaves out.
 *
 * It is subtracted from `extra`, so that the sum with `now`, which decides on peaks, is Massif's.
 * Async-signal-safe.
 */
static inline void snapshots_ignored(struct thread *thread, int64_t change, bool many)
{
	struct mu_heap *heap = &rec.image->heap;

	if (many) {
		thread->pending_extra -= change;
		thread->pending_ignored += change;
		return;
	}
	heap->extra -= change;
	heap->ignored += change;
}
