/* heap.h -- the program's current heap and its peak (docs/format.md section 4).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"

/* heap_publish -- add a thread's pending change to the heap.
 *
 * May leave up to the bound pending if another thread is publishing just now; waits for that
 * thread above the bound. Async-signal-safe inside the hook.
 */
void heap_publish(struct thread *thread);

/* heap_settle -- add all of a thread's pending change, e.g. when the thread ends.
 *
 * Account for its deferred frees (event/deferred_frees.h) before.
 */
void heap_settle(struct thread *thread);

/* heap_set_threads -- count one thread more (+1) or less (-1). Async-signal-safe. */
void heap_set_threads(int change);

/* heap_settle_peak -- publish a thread's change, and note a peak of the heap as it is now, with its
 * snapshot if one is due. Waits for the thread that is publishing. Async-signal-safe inside the
 * hook. */
void heap_settle_peak(struct thread *thread);

/* heap_note_peak -- note a peak before the heap falls, if it is at its maximum, or at that since
 * the fork.
 *
 * Only with one thread; with several, the next publication notes the peak.
 */
static inline void heap_note_peak(bool many)
{
	struct mu_heap *heap = &rec.image->heap;

	if (many || likely(heap->now <= rec.image->own_peak))
		return;
	rec.image->own_peak = heap->now;
	if (heap->now > heap->peak) {
		heap->peak = heap->now;
		heap->epoch++;
	}
}

/* heap_note_peak_before -- note a peak before a site loses BYTES, which the heap loses later.
 *
 * A site has its share of a peak until its next change after the peak was noted. Where the heap
 * changes before the site does, heap_change() is enough.
 */
static inline void heap_note_peak_before(struct thread *thread, uint64_t bytes, bool many)
{
	const struct mu_heap *heap = &rec.image->heap;
	const int64_t fall = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;

	if (!many)
		heap_note_peak(false);
	else if (unlikely(fall - thread->pub.pending_heap >
			  __atomic_load_n(&heap->publish_bound, __ATOMIC_RELAXED) / 2))
		heap_settle_peak(thread);
}

/* heap_change -- add `change` bytes to the heap.
 *
 * Async-signal-safe. Costs less than 1 ns; threads share no cache line for it.
 */
static inline __attribute__((always_inline)) void heap_change(struct thread *thread,
							     int64_t change, const bool many)
{
	struct mu_heap *heap = &rec.image->heap;

	if (many) {
		int64_t pending = thread->pub.pending_heap += change;
		int64_t bound = __atomic_load_n(&heap->publish_bound, __ATOMIC_RELAXED) / 2;
		if (unlikely(pending > bound || pending < -bound))
			heap_publish(thread);
		return;
	}
	if (change < 0)
		heap_note_peak(false);
	heap->now += change;
}
