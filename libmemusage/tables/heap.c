/* heap.c -- publishing heap changes of several threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/heap.h"

#include "libmemusage/base/spin.h"
#include "libmemusage/tables/points.h"
#include "libmemusage/tables/snapshots.h"

#define PUBLISH_BOUND_MIN 4096

/* Needs the lock, as do all that follow. */
static void note_peak_of_threads(struct mu_heap *heap)
{
	if (heap->now > rec.image->own_peak)
		rec.image->own_peak = heap->now;
	if (heap->now > heap->peak) {
		heap->peak = heap->now;
		heap->peak_bound = heap->publish_bound * heap->threads;
		__atomic_store_n(&heap->epoch, heap->epoch + 1, __ATOMIC_RELAXED);
	}
}

static void apply_heap_change(struct mu_heap *heap, int64_t change)
{
	if (change < 0)
		note_peak_of_threads(heap);
	__atomic_store_n(&heap->now, heap->now + change, __ATOMIC_RELAXED);
	int64_t bound = heap->now / 1024 / (heap->threads ? heap->threads : 1);
	if (bound < PUBLISH_BOUND_MIN)
		bound = PUBLISH_BOUND_MIN;
	__atomic_store_n(&heap->publish_bound, bound, __ATOMIC_RELAXED);
}

static void publish_locked(struct thread *thread)
{
	int64_t change = thread->pub.pending_heap;

	snapshots_publish(thread);
	points_publish(change);
	thread->pub.pending_heap = 0;
	apply_heap_change(&rec.image->heap, change);
}

static void publish_and_unlock(struct thread *thread)
{
	publish_locked(thread);
	spin_unlock(&rec.image->heap.lock);
}

/* Publishes above half of the bound if the lock is free, and waits for it above the whole bound. If
 * the kernel stops the holder of the lock, others would otherwise keep back more, and the error of
 * the peak would exceed its bound (7 MB were seen on a busy machine). */
void heap_publish(struct thread *thread)
{
	struct mu_heap *heap = &rec.image->heap;
	int64_t pending = thread->pub.pending_heap;
	int64_t bound = __atomic_load_n(&heap->publish_bound, __ATOMIC_RELAXED);
	bool must = pending > bound || pending < -bound;

	if (!spin_try(&heap->lock) && !(must && spin_lock(&heap->lock)))
		return;
	publish_and_unlock(thread);
	snapshots_thresholds();
}

void heap_settle_peak(struct thread *thread)
{
	struct mu_heap *heap = &rec.image->heap;

	if (!spin_lock(&heap->lock))
		return;
	publish_locked(thread);
	snapshots_before_fall(false);
	note_peak_of_threads(heap);
	spin_unlock(&heap->lock);
}

void heap_settle(struct thread *thread)
{
	if (thread->pub.pending_heap && spin_lock(&rec.image->heap.lock))
		publish_and_unlock(thread);
}

void heap_set_threads(int change)
{
	struct mu_heap *heap = &rec.image->heap;

	if (!spin_lock(&heap->lock))
		return;
	heap->threads += (uint32_t)change;
	if (heap->threads > heap->threads_max)
		heap->threads_max = heap->threads;
	apply_heap_change(heap, 0);
	spin_unlock(&heap->lock);
}
