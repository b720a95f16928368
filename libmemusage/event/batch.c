/* batch.c -- frees in a row are booked in batches.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/event/batch.h"

#include "libmemusage/event/hook_recovery.h"
#include "libmemusage/tables/heap.h"
#include "libmemusage/tables/sites.h"
#include "libmemusage/tables/snapshots.h"

static struct block known_of(const struct mu_batch_free *waiting)
{
	return (struct block){ .size = waiting->size & BLOCK_SIZE_MASK,
			       .birth = waiting->size >> 48 << 22 | waiting->tag >> 10,
			       .site = waiting->site };
}

static uint64_t extra_of(const struct block *known)
{
	return mu_slop(known->size) + MU_SLACK(known->birth) + snapshot_due.admin;
}

/* Several threads. As event_gone(), but that no snapshot by time can be due: none was when the
 * free came. */
static void book(struct thread *thread, const struct mu_batch_free *waiting, uint64_t tick)
{
	const struct block known = known_of(waiting);
	uint64_t extra = extra_of(&known);

	heap_change(thread, -(int64_t)known.size, true);
	sites_free(thread, &known, false, tick);
	thread->pub.counters.calls[MU_FN_FREE]++;
	thread->pub.counters.bytes[MU_FN_FREE] += known.size;
	snapshots_changed(thread, -(int64_t)extra, known.size + extra, true);
}

/* What the sums are to be. Only the first of several falls can be one from a peak. */
static void plan_sums(struct thread *thread)
{
	const struct mu_counters *counters = &thread->pub.counters;
	const struct mu_heap *heap = &rec.image->heap;
	struct mu_batch *batch = &thread->batch;
	uint64_t bytes = 0, extra = 0;

	snapshots_before_fall(false);
	heap_note_peak(false);
	for (uint32_t i = 0; i < batch->count; i++) {
		const struct block known = known_of(&batch->free[i]);
		bytes += known.size;
		extra += extra_of(&known);
	}
	batch->now = heap->now - (int64_t)bytes;
	batch->extra = heap->extra - (int64_t)extra;
	batch->clock = heap->clock + bytes + extra;
	batch->calls = counters->calls[MU_FN_FREE] + batch->count;
	batch->bytes = counters->bytes[MU_FN_FREE] + bytes;
	__atomic_store_n(&batch->counters, (uint64_t)((const uint8_t *)counters - rec.base),
			 __ATOMIC_RELEASE);
	__asm__ volatile("" ::: "memory");
}

static void set_sums(struct thread *thread)
{
	struct mu_counters *counters = &thread->pub.counters;
	const struct mu_batch *batch = &thread->batch;
	struct mu_heap *heap = &rec.image->heap;

	heap->now = batch->now;
	heap->extra = batch->extra;
	heap->clock = batch->clock;
	counters->calls[MU_FN_FREE] = batch->calls;
	counters->bytes[MU_FN_FREE] = batch->bytes;
}

/* As sites_free(), in two steps of which each may be begun again. */
static void book_cell(struct thread *thread, uint32_t i)
{
	struct mu_batch *batch = &thread->batch;
	const struct block known = known_of(&batch->free[i]);
	struct mu_cell *cell = sites_cell(thread, known.site);
	uint64_t *lives;

	if (unlikely(!cell))
		return;
	lives = thread->lifetimes ? sites_lives(thread, &known, batch->tick) : NULL;
	if (likely(batch->in_cell != i + 1)) {
		sites_keep_peak(cell);
		if (cell->live_bytes > cell->max_bytes)
			cell->max_bytes = cell->live_bytes;
		batch->cell = (uint64_t)((const uint8_t *)cell - rec.base);
		batch->live_bytes = cell->live_bytes - (int64_t)known.size;
		batch->live_blocks = cell->live_blocks - 1;
		batch->life = cell->life + (int64_t)batch->tick;
		batch->lifetimes = lives ? (uint64_t)((const uint8_t *)lives - rec.base) : 0;
		batch->lived = lives ? *lives + 1 : 0;
		__atomic_store_n(&batch->in_cell, i + 1, __ATOMIC_RELEASE);
		__asm__ volatile("" ::: "memory");
	}
	cell->live_bytes = batch->live_bytes;
	cell->live_blocks = batch->live_blocks;
	cell->life = batch->life;
	if (lives)
		*lives = batch->lived;
}

/* A handler that leaves the hook by longjmp leaves the rest to the next event. */
void batch_book(struct thread *thread)
{
	struct mu_batch *batch = &thread->batch;
	uint32_t count = batch->count;
	bool many = gate.mode & MODE_MANY;

	if (count && !many && !batch->counters)
		plan_sums(thread);
	if (count && !many)
		set_sums(thread);
	for (uint32_t i = batch->done; i < count; i++) {
		if (unlikely(!batch->counters))
			book(thread, &batch->free[i], batch->tick);
		else
			book_cell(thread, i);
		__atomic_store_n(&batch->done, i + 1, __ATOMIC_RELEASE);
		__asm__ volatile("" ::: "memory");
	}
	__atomic_store_n(&batch->serial, batch->serial + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&batch->count, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&batch->counters, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&batch->in_cell, 0, __ATOMIC_RELEASE);
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
	thread->pub.busy = hook_mark();
	__asm__ volatile("" ::: "memory");
	batch_end(thread);
	__asm__ volatile("" ::: "memory");
	thread->pub.busy = knock;
}
