/* batch.c -- frees in a row are booked in batches.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/batch.h"

#include "libmemusage/heap.h"
#include "libmemusage/sites.h"
#include "libmemusage/snapshots.h"
#include "libmemusage/stale.h"

/* As event_gone(), but that no snapshot by time can be due: none was when the free came. */
static void book(struct thread *thread, const struct mu_batch_free *waiting, uint64_t tick,
		 bool many)
{
	const struct block known = {
		.size = waiting->size & BLOCK_SIZE_MASK,
		.birth = waiting->size >> 48 << 22 | waiting->tag >> 10,
		.site = waiting->site,
	};
	uint64_t extra = mu_slop(known.size) + MU_SLACK(known.birth) + snapshot_due.admin;
	struct mu_heap *heap = &rec.image->heap;

	snapshots_before_fall(many);
	heap_change(thread, -(int64_t)known.size, many);
	sites_free(thread, &known, false, tick);
	thread->pub.counters.calls[MU_FN_FREE]++;
	thread->pub.counters.bytes[MU_FN_FREE] += known.size;
	if (many) {
		snapshots_changed(thread, -(int64_t)extra, known.size + extra, true);
		return;
	}
	heap->extra -= (int64_t)extra;
	heap->clock += known.size + extra;
}

void batch_book(struct thread *thread)
{
	struct mu_batch *batch = &thread->batch;
	uint32_t count = batch->count;
	bool many = gate.mode & MODE_MANY;

	/* A handler that leaves the hook by longjmp leaves the rest to the next event. */
	for (uint32_t i = batch->done; i < count; i++) {
		if (many)
			book(thread, &batch->free[i], batch->tick, true);
		else
			book(thread, &batch->free[i], batch->tick, false);
		__atomic_store_n(&batch->done, i + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&batch->serial, batch->serial + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&batch->count, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&batch->done, 0, __ATOMIC_RELEASE);
	__asm__ volatile("" ::: "memory");
	thread->batch_limit = 0;
}

void batch_begin_slow(struct thread *thread)
{
	uint64_t tick = sites_tick();

	if (gate.mode != MODE_STACKS || snapshot_due.now != &rec.segment->tick ||
	    snapshot_due.tick != tick || snapshot_due.time <= tick)
		return;
	thread->batch.tick = tick;
	thread->batch.admin = snapshot_due.admin;
	thread->batch_limit = MU_BATCH;
	rec.image->batch = (uint64_t)((const uint8_t *)&thread->batch - rec.base);
}

void batch_close(struct thread *thread)
{
	uint32_t knock = thread->pub.busy;

	if (!thread->batch_limit || thread_is_inside(thread))
		return;
	thread->pub.busy = stale_mark();
	__asm__ volatile("" ::: "memory");
	batch_end(thread);
	__asm__ volatile("" ::: "memory");
	thread->pub.busy = knock;
}
