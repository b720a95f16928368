/* snapshots.h -- what the heap looked like at chosen moments, by Massif's rules.
 *
 * When to take one, which are detailed, when a peak is taken and which are culled follows
 * Massif to the letter (docs/compat.md), because its users compare numbers. Beyond Massif,
 * a snapshot keeps the values of all sites, so that a tree can be shown at any of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_SNAPSHOTS_H
#define LIBMEMUSAGE_TABLES_SNAPSHOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/tables/heap.h"
#include "recording/slop.h"

/* What the events compare with. Private to the process; changed under the lock. */
struct snapshot_due {
	uint64_t time;	    /* earliest time of the next one, in the unit chosen; 0: look always */
	int64_t peak_total; /* useful and extra bytes above which a fall makes a peak */
	uint32_t admin;	    /* bytes charged per block */
	bool is_on;
	const uint64_t *now; /* the time in the unit chosen */
	uint64_t tick;	     /* the millisecond of the last event */
	uint32_t waits;	     /* events at which none can be taken are under way */
};

extern struct snapshot_due snapshot_due;

/* snapshots_init -- begin with the snapshot of the empty heap. Returns false without memory. */
bool snapshots_init(void);

/* snapshots_find_clock -- where time is read is known now: the image has moved, or the emulator's
 * plugin has said where it counts. At start and in a forked child, before the gate opens. */
void snapshots_find_clock(void);

/* Cells that are added up for somebody outside: within 0.4 ms, of new memory too. */
#define SNAPSHOTS_REQUEST_CELLS 8192u

/* snapshots_take -- the time of the next snapshot has come, or thresholds are watched.
 *
 * Does nothing if another thread is at it. Async-signal-safe. Cost O(cells): 0.1 ms for
 * 10,000 sites.
 */
void snapshots_take(void);

/* snapshots_peak -- the heap is about to fall and stands above the last peak. As above. */
void snapshots_peak(void);

/* snapshots_request -- somebody outside wants to know how things stand (mu_image.requested).
 *
 * detailed  with the values of all sites, unless they are too many to add up within a
 *           millisecond: whoever asked then adds up the cells himself.
 * The series is left as it is. Async-signal-safe. Cost 20 ns per cell, at most 0.4 ms.
 */
void snapshots_request(bool detailed);

/* snapshots_show -- the present state, with the values of all sites.
 *
 * room, capacity  of an array for them: a larger one is taken if need be.
 * Returns false if there is no memory for it. Inside the hook, async-signal-safe. Cost 20 ns per
 * cell. The series is left as it is.
 */
bool snapshots_show(struct mu_snapshot *s, uint64_t *room, uint32_t *capacity);

/* snapshots_stacks -- the sum of all stacks changed: it is part of what a peak is of. */
void snapshots_stacks(int64_t change);

/* snapshots_publish -- several threads: apply what a thread kept back, and look. */
void snapshots_publish(struct thread *thread);

/* Called by snapshots_thresholds(); NULL while no thresholds are watched (lifecycle/triggers.c). */
typedef void snapshots_watcher(void);
extern snapshots_watcher *snapshots_watch;

/* snapshots_thresholds -- the heap or stacks changed: was a threshold crossed?
 *
 * Inside the hook, without locks. Async-signal-safe. Cost below 1 ns while none is watched.
 */
void snapshots_thresholds(void);

/* snapshots_now -- time in the unit chosen, as far as it was looked at (instructions.h). */
static inline uint64_t snapshots_now(void)
{
	return __atomic_load_n(snapshot_due.now, __ATOMIC_RELAXED);
}

/* snapshots_before_tick -- before the first event of another millisecond, one thread.
 *
 * If nothing happened for a while, the last snapshot had better be of how the last event left
 * things, as that is how they stood all the while: it is brought up to date if it is of the same
 * millisecond. A pause longer than the least interval has one more, dated back to its begin.
 * Async-signal-safe. Cost that of a snapshot, or 2 ns.
 */
void snapshots_before_tick(uint64_t tick);

/* snapshots_before -- before an event changes anything; tick is the millisecond. */
static inline void snapshots_before(uint64_t tick, bool many)
{
	if (unlikely(tick != snapshot_due.tick) && !many)
		snapshots_before_tick(tick);
}

/* snapshots_before_fall -- the heap is about to fall: is it at a peak worth keeping? */
static inline void snapshots_before_fall(bool many)
{
	const struct mu_heap *heap = &rec.image->heap;

	if (!many && unlikely(heap->now + heap->extra > snapshot_due.peak_total) &&
	    snapshot_due.is_on)
		snapshots_peak();
}

/* snapshots_changed -- after the heap changed.
 *
 * extra   change of the extra bytes; moved bytes that the clock advances by.
 * Async-signal-safe. Cost 1 ns when none is due.
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

/* snapshots_suspend -- begin an event at which none can be taken: the next one will find it due.
 *
 * is_fall  the heap will fall.
 * Returns false if one is to be taken now: then there is no such event. Pair with
 * snapshots_resume(). Async-signal-safe.
 */
static inline bool snapshots_suspend(bool is_fall, bool many)
{
	const struct mu_heap *heap = &rec.image->heap;
	uint64_t tick = __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED);

	/* What several threads keep back may be a fall. */
	if (snapshots_now() >= snapshot_due.time || (!many && snapshot_due.tick != tick) ||
	    ((is_fall || many) && snapshot_due.is_on &&
	     heap->now + heap->extra > snapshot_due.peak_total))
		return false;
	__atomic_fetch_add(&snapshot_due.waits, 1, __ATOMIC_RELAXED);
	return true;
}

/* snapshots_resume -- the event is over. */
static inline void snapshots_resume(void)
{
	__atomic_fetch_sub(&snapshot_due.waits, 1, __ATOMIC_RELAXED);
}

/* snapshots_ignored -- the heap changed by a block that Massif's books leave out.
 *
 * What `now` has of it `extra` has less, so that their sum, which decides on peaks, is that of
 * the books. Async-signal-safe.
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

#endif
