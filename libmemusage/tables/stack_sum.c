/* stack_sum.c -- the sum of the depths of all stacks, for snapshots.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/stack_sum.h"

#include "libmemusage/tables/snapshots.h"
#include "libmemusage/tables/stack.h"

#define UNSEEN_LEAST (2 * (int64_t)MU_PAGE) /* the recorder's frames, and half a page */

static int64_t sum;

int64_t stack_sum_now(void)
{
	return __atomic_load_n(&sum, __ATOMIC_RELAXED);
}

static void set_stack_depth(struct thread *thread, uint64_t depth)
{
	int64_t change = (int64_t)(depth - thread->pub.stack_now);

	thread->pub.stack_now = depth;
	__atomic_fetch_add(&sum, change, __ATOMIC_RELAXED);
	snapshots_stacks(change);
}

void stack_sum_note(struct thread *thread, uint64_t sp)
{
	uint64_t depth = stack_note(thread, sp), old = thread->pub.stack_now;
	struct mu_heap *heap = &rec.image->heap;

	if (depth > thread->pub.stack_size || thread->pub.state != MU_THREAD_LIVE)
		return;
	if (!(thread->pub.flags & MU_THREAD_HAS_MARK)) {
		thread->pub.flags |= MU_THREAD_HAS_MARK;
		stack_mark(thread);
	}
	if (depth < old && heap->now + heap->extra > snapshot_due.peak_total &&
	    snapshot_due.is_on)
		snapshots_peak();
	set_stack_depth(thread, depth);
	__atomic_fetch_add(&heap->clock, depth < old ? old - depth : depth - old,
			   __ATOMIC_RELAXED);
	if (snapshots_now() >= snapshot_due.time)
		snapshots_take();
}

int64_t stack_sum_unseen(void)
{
	uint64_t seen;

	if (!has_self() || !(self->pub.flags & MU_THREAD_HAS_MARK))
		return 0;
	seen = self->pub.stack_mark > self->pub.stack_peak ? self->pub.stack_mark :
							     self->pub.stack_peak;
	stack_mark(self);
	if ((int64_t)(self->pub.stack_mark - seen) < UNSEEN_LEAST)
		return 0;
	return (int64_t)(self->pub.stack_mark - self->pub.stack_now);
}

void stack_sum_end_thread(struct thread *thread)
{
	if (thread->pub.stack_now)
		set_stack_depth(thread, 0);
}
