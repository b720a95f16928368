/* heap.c -- publishing heap changes of several threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/heap.h"

#include "libmemusage/base/spin.h"
#include "libmemusage/tables/points.h"
#include "libmemusage/tables/snapshots.h"

#define SLACK_MIN 4096

/* Under the lock. */
static void apply(struct mu_heap *heap, int64_t change)
{
	if (change < 0 && heap->now > heap->peak) {
		heap->peak = heap->now;
		heap->peak_bound = heap->slack * heap->threads;
		__atomic_store_n(&heap->epoch, heap->epoch + 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&heap->now, heap->now + change, __ATOMIC_RELAXED);
	int64_t slack = heap->now / 1024 / (heap->threads ? heap->threads : 1);
	__atomic_store_n(&heap->slack, slack < SLACK_MIN ? SLACK_MIN : slack, __ATOMIC_RELAXED);
}

static void publish_locked(struct thread *thread)
{
	int64_t change = thread->pub.pending_heap;

	snapshots_publish(thread);
	points_publish(change);
	thread->pub.pending_heap = 0;
	apply(&rec.image->heap, change);
	spin_unlock(&rec.image->heap.lock);
}

/* Half of the slack is published when that costs nothing. A holder of the lock that was put
 * to sleep must not make others keep back more than all of it: the bound of the peak's error
 * would not hold (7 MB were seen on a busy machine). */
void heap_publish(struct thread *thread)
{
	struct mu_heap *heap = &rec.image->heap;
	int64_t pending = thread->pub.pending_heap;
	int64_t slack = __atomic_load_n(&heap->slack, __ATOMIC_RELAXED);
	bool must = pending > slack || pending < -slack;

	if (!spin_try(&heap->lock) && !(must && spin_lock(&heap->lock)))
		return;
	publish_locked(thread);
	snapshots_thresholds();
}

void heap_settle(struct thread *thread)
{
	if (thread->pub.pending_heap && spin_lock(&rec.image->heap.lock))
		publish_locked(thread);
}

void heap_set_threads(int change)
{
	struct mu_heap *heap = &rec.image->heap;

	if (!spin_lock(&heap->lock))
		return;
	heap->threads += (uint32_t)change;
	if (heap->threads > heap->threads_max)
		heap->threads_max = heap->threads;
	apply(heap, 0);
	spin_unlock(&heap->lock);
}
