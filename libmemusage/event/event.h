/* event.h -- recording one allocation or free.
 *
 * Order matters (docs/design.md): a free is recorded before the real free, an allocation after the
 * real allocation; otherwise another thread may get the address first. No function here changes
 * errno.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/image/probes.h"
#include "libmemusage/event/deferred_frees.h"
#include "libmemusage/event/hook_recovery.h"
#include "libmemusage/image/log.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/stop.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/tables/accesses.h"
#include "libmemusage/tables/blocks.h"
#include "libmemusage/tables/heap.h"
#include "libmemusage/tables/points.h"
#include "libmemusage/tables/recall.h"
#include "libmemusage/tables/shrunk.h"
#include "libmemusage/tables/sites.h"
#include "libmemusage/tables/snapshot_log.h"
#include "libmemusage/tables/snapshots.h"
#include "libmemusage/tables/stack.h"
#include "libmemusage/unwind/walk.h"

#define INLINE static inline __attribute__((always_inline))

/* hook_enter_slow -- enter for a first event of the process or thread, or a nested one.
 *
 * Returns the thread's record with busy set, or NULL: forward the call, record nothing.
 * The first event of a process starts the recording, so lifecycle/enter.c defines it.
 */
struct thread *hook_enter_slow(void);

/* hook_begin -- set pub.busy, then wait while another thread has stopped the others.
 *
 * For changes of the record or the image that are no event. Call outside the hook. Pair with
 * hook_leave(). Async-signal-safe.
 */
void hook_begin(struct thread *thread);

/* hook_wait -- leave the hook, just entered with MODE_STOP set, until the stop is over. */
void hook_wait(struct thread *thread);

/* event_alloc_slow, event_free_slow, event_change_slow -- for several threads and the event log.
 *
 * Otherwise as event_alloc(), event_free() and event_change().
 */
void event_alloc_slow(struct thread *thread, enum mu_fn fn, const void *block, uint64_t size,
		      uint64_t sp);
bool event_free_slow(struct thread *thread, const void *block, struct block *known, uint64_t sp);
void event_change_slow(struct thread *thread, int64_t change, uint64_t sp);

/* hook_enter -- begin to record an event of the calling thread.
 *
 * Returns NULL if it is not to be recorded. Pair with hook_leave().
 */
INLINE struct thread *hook_enter(void)
{
	struct thread *thread = self;

	if (unlikely(!gate.on) || unlikely(thread->pub.busy))
		return hook_enter_slow();
	thread->pub.busy = hook_mark();
	__asm__ volatile("" ::: "memory");
	if (stop_asked())
		hook_wait(thread);
	deferred_frees_end(thread);
	return thread;
}

/* hook_leave -- end what hook_enter() began. */
INLINE void hook_leave(struct thread *thread)
{
	__asm__ volatile("" ::: "memory");
	thread->pub.busy = 0;
}

/* hook_sp -- return the stack pointer of an event: the frame of the interposed function. */
#define hook_sp() ((uint64_t)__builtin_frame_address(0))

/* count_call -- count a request in calls, bytes and histogram. */
INLINE void count_call(struct mu_counters *counters, enum mu_fn fn, uint64_t bytes, uint64_t size)
{
	uint64_t bucket = size / MU_HIST_STEP;

	counters->calls[fn]++;
	counters->bytes[fn] += bytes;
	if (likely(bucket < MU_HIST_LOW)) {
		counters->hist_low[bucket]++;
	} else if (bucket < MU_HIST_BUCKETS) {
		uint64_t *high = counters_hist_high(counters);
		if (high)
			high[bucket - MU_HIST_LOW]++;
	} else {
		counters->hist_large++;
	}
}

/* block_dropped -- count a block that is not in the table, nor its bytes in the heap. */
INLINE void block_dropped(uint64_t size)
{
	__atomic_fetch_add(&rec.image->drops.blocks, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&rec.image->drops.block_bytes, size, __ATOMIC_RELAXED);
}

/* event_site -- find the site of this event, 0 without call stacks. */
INLINE uint32_t event_site(struct thread *thread, enum mu_fn fn, uint64_t sp, unsigned int mode)
{
	/* The interposed function keeps a frame pointer: its caller's bp, then its own return
	 * address, lie at its frame's address. */
	if (!(mode & MODE_STACKS))
		return 0;
	return recall_site(thread, fn, sp + 8, *(const uint64_t *)sp);
}

/* event_end_nested -- end the announced blocks in [start, end) that are nested in another.
 *
 * Call it when they end themselves, or the block around them. Inside the hook.
 */
void event_end_nested(struct thread *thread, uint64_t start, uint64_t end, unsigned int mode);

/* event_extra_marked -- event_extra() of a block with more room, or with nested blocks. */
uint64_t event_extra_marked(uint64_t address, const struct block *block);

/* event_extra -- bytes beyond its size that Massif's accounting charges for a live block. */
INLINE uint64_t event_extra(uint64_t address, const struct block *block)
{
	if (unlikely(block->birth & (MU_BIRTH_SLACK | MU_BIRTH_OUTER)))
		return event_extra_marked(address, block);
	return mu_slop(block->size) + snapshot_due.admin;
}

/* event_add_to_site -- add a new block to its site. tick: sites_tick(). */
INLINE void event_add_to_site(struct thread *thread, const void *block, const struct block *record,
			      uint64_t tick, unsigned int mode)
{
	const struct mu_cell *cell = sites_alloc(thread, record->site, record->size, tick);

	if (mode & MODE_POINTS && likely(cell))
		points_alloc(cell->point, record->size, mode & MODE_MANY);
	thread->newest = (uint64_t)block;
}

/* event_account_new -- account for a new block as Massif does, after the heap has grown by it. */
INLINE void event_account_new(struct thread *thread, uint64_t size, unsigned int mode)
{
	uint64_t extra = mu_slop(size) + snapshot_due.admin;

	snapshots_changed(thread, (int64_t)extra, size + extra, mode & MODE_MANY);
}

/* event_put -- record a new block in table, heap, site, stack and log, but not in the counters.
 *
 * change  of the heap: its size, or the difference to the block that it replaces.
 * Returns whether the table has the block now.
 */
INLINE bool event_put(struct thread *thread, const void *block, const struct block *record,
		      int64_t change, uint64_t sp, unsigned int mode)
{
	bool ok = blocks_put(thread, (uint64_t)block, record, mode & MODE_MANY);

	if (unlikely(!ok)) {
		block_dropped(record->size);
		change -= (int64_t)record->size;
	} else if (mode & MODE_STACKS) {
		event_add_to_site(thread, block, record, sites_tick(), mode);
		if (mode & MODE_ACCESSES)
			accesses_add_block(&thread->access, (uint64_t)block, record->size,
					   record->site);
	}
	heap_change(thread, change, mode & MODE_MANY);
	uint64_t depth = stack_note(thread, sp);
	if (mode & MODE_LOG)
		log_append(thread, change, depth, mode & MODE_MANY);
	return ok;
}

/* event_new -- record a new block that replaces none. */
INLINE void event_new(struct thread *thread, enum mu_fn fn, const void *block, uint64_t size,
		      uint64_t sp, unsigned int mode)
{
	struct block record = { .size = size, .site = event_site(thread, fn, sp, mode) };

	if (mode & MODE_STACKS) {
		record.birth = sites_tick();
		snapshots_before(record.birth, mode & MODE_MANY);
	}
	bool ok = event_put(thread, block, &record, (int64_t)size, sp, mode);
	if (!(mode & MODE_STACKS) || !ok)
		return;
	bool is_ignored = mode & MODE_ACCOUNTING && sites_is_ignored(record.site);
	if (mode & MODE_ACCOUNTING)
		snapshot_log_count_event(MU_MASSIF_ALLOCS, is_ignored);
	if (is_ignored)
		snapshots_ignored(thread, (int64_t)size, mode & MODE_MANY);
	else
		event_account_new(thread, size, mode);
}

/* event_alloc -- record an allocation that returned `block`, NULL if it failed.
 *
 * fn  the row in which it counts; `size` is in bytes, as requested; sp is from hook_sp().
 */
INLINE void event_alloc(struct thread *thread, enum mu_fn fn, const void *block, uint64_t size,
			uint64_t sp)
{
	if (unlikely(gate.mode)) {
		event_alloc_slow(thread, fn, block, size, sp);
		return;
	}
	count_call(&thread->pub.counters, fn, size, size);
	if (unlikely(!block)) {
		thread->pub.counters.failed[fn]++;
		return;
	}
	event_new(thread, fn, block, size, sp, 0);
	if (probes_are_wanted())
		probe_alloc(block, size, size);
}

/* event_freed_by -- record the stack that frees a block of SIZE bytes, if the mode needs it. */
INLINE void event_freed_by(struct thread *thread, uint64_t size, uint64_t sp, unsigned int mode)
{
	if (mode & MODE_FREES)
		sites_count(thread, event_site(thread, MU_FN_FREE, sp, mode), size);
}

/* event_freed -- record the free of a block, removed from the table, in heap, site, stack and
 * log. */
INLINE void event_freed(struct thread *thread, const void *block, const struct block *known,
			uint64_t sp, unsigned int mode)
{
	int64_t change = -(int64_t)known->size;
	bool is_ignored = mode & MODE_ACCOUNTING && sites_is_ignored(known->site);
	uint64_t tick = mode & MODE_STACKS ? sites_tick() : 0;

	if (mode & MODE_ACCESSES)
		accesses_remove_block(&thread->access, (uint64_t)block);
	if (mode & MODE_ACCOUNTING)
		snapshot_log_count_event(MU_MASSIF_FREES, is_ignored);
	if (mode & MODE_STACKS)
		snapshots_before(tick, mode & MODE_MANY);
	if (mode & MODE_STACKS && !is_ignored)
		snapshots_before_fall(mode & MODE_MANY);
	heap_change(thread, change, mode & MODE_MANY);
	const struct mu_cell *cell = NULL;
	if (mode & MODE_STACKS)
		cell = sites_free(thread, known, thread->newest == (uint64_t)block, tick);
	if (mode & MODE_POINTS && likely(cell))
		points_free(cell->point, known->size, mode & MODE_MANY);
	if (is_ignored) {
		if (known->birth & MU_BIRTH_OUTER)
			event_extra((uint64_t)block, known);
		snapshots_ignored(thread, change, mode & MODE_MANY);
	} else if (mode & MODE_STACKS) {
		uint64_t extra = event_extra((uint64_t)block, known);
		snapshots_changed(thread, -(int64_t)extra, known->size + extra, mode & MODE_MANY);
	}
	event_freed_by(thread, known->size, sp, mode);
	uint64_t depth = stack_note(thread, sp);
	if (mode & MODE_LOG)
		log_append(thread, change, depth, mode & MODE_MANY);
}

/* event_take -- remove a block, about to be freed, and record that, but not in the counters.
 *
 * Returns false if the block is unknown; *known is then not set.
 */
INLINE bool event_take(struct thread *thread, const void *block, struct block *known, uint64_t sp,
		       unsigned int mode)
{
	if (unlikely(!blocks_take(thread, (uint64_t)block, known, mode & MODE_MANY)))
		return false;
	event_freed(thread, block, known, sp, mode);
	return true;
}

/* event_free_unknown -- count the free of a block that is not in the table, about to be done.
 *
 * It is from before recording began, or from a pause, if there was one. While there is, it does not
 * count. Inside the hook. Async-signal-safe.
 */
void event_free_unknown(struct thread *thread, const void *block, uint64_t sp);

/* event_free -- record a free or delete of `block`, not NULL.
 *
 * Returns false if the block is unknown. It counts as such, unless the free is that of an operator
 * delete which was recorded (event_deleting()).
 */
INLINE bool event_free(struct thread *thread, const void *block, uint64_t sp)
{
	struct mu_counters *counters = &thread->pub.counters;
	struct block known;
	bool ok = unlikely(gate.mode) ? event_free_slow(thread, block, &known, sp) :
					event_take(thread, block, &known, sp, 0);

	if (likely(ok)) {
		counters->calls[MU_FN_FREE]++;
		counters->bytes[MU_FN_FREE] += known.size;
		if (probes_are_wanted())
			probe_free(block);
	} else if ((uint64_t)block != thread->deleting) {
		event_free_unknown(thread, block, sp);
	}
	return ok;
}

/* event_knows -- return whether the table has a block. Call inside the hook. */
INLINE bool event_knows(struct thread *thread, const void *block)
{
	return blocks_knows(thread, (uint64_t)block, gate.mode & MODE_MANY);
}

/* event_deleting -- note that the real operator delete, called next, may call free for `block`.
 *
 * The block's end has been recorded already, so that inner call is no event.
 */
INLINE void event_deleting(const void *block)
{
	if (has_self())
		self->deleting = (uint64_t)block;
}

/* event_change -- record a change of the heap that is not by a block (mappings). */
INLINE void event_change(struct thread *thread, int64_t change, uint64_t sp)
{
	if (unlikely(gate.mode)) {
		event_change_slow(thread, change, sp);
		return;
	}
	heap_change(thread, change, false);
	stack_note(thread, sp);
}

/* stack_note_quick -- stack_note() that calls nothing. */
INLINE void stack_note_quick(struct thread *thread, uint64_t sp)
{
	uint64_t depth = thread->pub.stack_base - sp;

	if (unlikely(depth > thread->pub.stack_peak) && depth <= thread->pub.stack_size)
		thread->pub.stack_peak = depth;
}

/* quick_enter -- begin an event if the recorder is in exactly this mode, and nothing listens to the
 * probes. */
INLINE bool quick_enter(struct thread *thread, unsigned int mode)
{
	/* The gate first: before it is open there may be no thread-local storage yet. One branch
	 * for the others: with two a pair of malloc and free takes 0.3 ns more. */
	if (unlikely(gate.word != (GATE_PLAIN | mode << 16)) ||
	    unlikely(thread->pub.busy | probe_semaphores.any))
		return false;
	thread->pub.busy = hook_mark();
	__asm__ volatile("" ::: "memory");
	/* The first check keeps a child of a raw clone() out of its parent's record. But a thread
	 * that changes the mode between it and the store sees the hook empty: so check again. */
	if (mode & MODE_MANY && unlikely(__atomic_load_n(&gate.word, __ATOMIC_RELAXED) !=
					 (GATE_PLAIN | mode << 16))) {
		thread->pub.busy = 0;
		return false;
	}
	return true;
}

/* alloc_quick -- record a successful allocation, if nothing has to be made or searched for.
 *
 * mode    a constant without MODE_LOG, for which the code is specialised.
 * Returns false, having done nothing, in any other case: then use event_alloc(). With mode 0 there
 * is no call, hence no stack frame: most events cost only this and free_quick().
 */
INLINE bool alloc_quick(enum mu_fn fn, const void *block, uint64_t size, uint64_t sp,
			const unsigned int mode)
{
	struct thread *thread = self;
	struct block record = { .size = size };
	struct blocks_spot spot = { .line = NULL };

	if (unlikely(!block) || unlikely(size >= MU_HIST_LOW * MU_HIST_STEP) ||
	    !quick_enter(thread, mode))
		return false;
	if (mode & MODE_STACKS) {
		deferred_frees_end(thread);
		/* The line is seldom in the cache: the table is large if the heap is. */
		spot = blocks_fetch_quick(thread, (uint64_t)block, false);
		record.site = event_site(thread, fn, sp, mode);
		record.birth = sites_tick();
		snapshots_before(record.birth, mode & MODE_MANY);
	}
	bool ok = mode & MODE_STACKS && !(mode & MODE_MANY) ?
			blocks_put_there(&spot, &record, false) :
			blocks_put_quick(thread, (uint64_t)block, &record, mode & MODE_MANY,
					 !(mode & MODE_STACKS), mode & MODE_STACKS);
	/* event_alloc() would unwind the stack again. */
	if (mode & MODE_STACKS && unlikely(!ok))
		ok = blocks_put_slow(thread, (uint64_t)block, &record, mode & MODE_MANY);
	if (likely(ok)) {
		struct mu_counters *counters = &thread->pub.counters;
		counters->calls[fn]++;
		counters->bytes[fn] += size;
		counters->hist_low[size / MU_HIST_STEP]++;
		if (mode & MODE_STACKS)
			event_add_to_site(thread, block, &record, record.birth, mode);
		if (mode & MODE_ACCESSES)
			accesses_add_block(&thread->access, (uint64_t)block, size, record.site);
		heap_change(thread, (int64_t)size, mode & MODE_MANY);
		stack_note_quick(thread, sp);
		if (mode & MODE_STACKS)
			event_account_new(thread, size, mode);
	}
	hook_leave(thread);
	return ok;
}

/* free_quick -- record a free, under the conditions of alloc_quick(). */
INLINE bool free_quick(const void *block, uint64_t sp, const unsigned int mode)
{
	struct thread *thread = self;
	struct block known;

	if (!quick_enter(thread, mode))
		return false;
	if (mode & MODE_STACKS)
		deferred_frees_settle(thread);
	bool ok = blocks_take_quick(thread, (uint64_t)block, &known, mode & MODE_MANY,
				    !(mode & MODE_STACKS), mode & MODE_STACKS);
	if (likely(ok)) {
		thread->pub.counters.calls[MU_FN_FREE]++;
		thread->pub.counters.bytes[MU_FN_FREE] += known.size;
		if (mode & MODE_STACKS) {
			event_freed(thread, block, &known, sp, mode);
			if (mode == MODE_STACKS)
				deferred_frees_begin(thread);
			hook_leave(thread);
			return true;
		}
		heap_change(thread, -(int64_t)known.size, mode & MODE_MANY);
		stack_note_quick(thread, sp);
	}
	hook_leave(thread);
	return ok;
}

/* free_deferred -- record a free in a row of them, with deferred accounting. */
INLINE bool free_deferred(const void *block, uint64_t sp)
{
	struct thread *thread = self;

	if (thread->batch.count >= thread->deferred_limit || !quick_enter(thread, MODE_STACKS))
		return false;
	bool ok = deferred_frees_add(thread, block, sp);
	hook_leave(thread);
	return ok;
}

/* realloc_take -- remove a block that is about to be reallocated from the table.
 *
 * old      set if the block was known; otherwise the call counts as one with an unknown block.
 * Returns  whether the block was known: then call realloc_done() with the result. With --sample
 *          always true, because the result may be sampled. Call only while busy. Async-signal-safe.
 */
bool realloc_take(struct thread *thread, const void *block, struct block *old);

/* realloc_done -- record the result of a realloc, after realloc_take().
 *
 * result  the new block, of `size` bytes; NULL if the old one was freed (size 0) or the call
 * failed.
 */
void realloc_done(struct thread *thread, const void *block, const struct block *old,
		  const void *result, size_t size, uint64_t sp);

/* realloc_take_quick -- do realloc_take() in the usual case: as free_quick() in mode 0. */
INLINE bool realloc_take_quick(const void *block, struct block *old)
{
	struct thread *thread = self;

	if (!quick_enter(thread, 0))
		return false;
	bool ok = blocks_take_quick(thread, (uint64_t)block, old, false, true, true);
	hook_leave(thread);
	return ok;
}

/* realloc_put_quick -- do realloc_done() in the usual case: as alloc_quick() in mode 0. */
INLINE bool realloc_put_quick(const void *block, const struct block *old, const void *result,
			      size_t size, uint64_t sp)
{
	const struct block record = { .size = size };
	struct thread *thread = self;

	if (unlikely(!result) || unlikely(size >= MU_HIST_LOW * MU_HIST_STEP) ||
	    !quick_enter(thread, 0))
		return false;
	bool ok = blocks_put_quick(thread, (uint64_t)result, &record, false, true, true);
	if (likely(ok)) {
		struct mu_counters *counters = &thread->pub.counters;
		count_call(counters, MU_FN_REALLOC, size > old->size ? size - old->size : 0, size);
		counters->realloc_nomove += result == block;
		counters->realloc_dec += size < old->size;
		heap_change(thread, (int64_t)(size - old->size), false);
		stack_note_quick(thread, sp);
	}
	hook_leave(thread);
	return ok;
}
