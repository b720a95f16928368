/* sampled_event.c -- recording an allocation or free with --sample.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/event/sampled_event.h"

#include "libmemusage/event/event.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/tables/sample_filter.h"
#include "libmemusage/tables/stack_sum.h"
#include "libmemusage/tables/thinning.h"

static uint64_t count_allocations(const struct thread *thread)
{
	const uint64_t *calls = thread->pub.counters.calls;

	return calls[MU_FN_MALLOC] + calls[MU_FN_CALLOC] + calls[MU_FN_REALLOC] +
	       calls[MU_FN_MEMALIGN];
}

/* ---- table and site ----------------------------------------------------------------------- */

static void add_to_cell(struct thread *thread, const struct block *block,
			const struct sample_weight *w)
{
	struct mu_cell *cell = sites_cell(thread, block->site);

	if (unlikely(!cell))
		return;
	sites_keep_peak(cell);
	cell->live_bytes += (int64_t)w->bytes;
	cell->live_blocks += (int64_t)w->blocks;
	cell->total_bytes += w->bytes;
	cell->total_blocks += w->blocks;
	cell->life -= (int64_t)(w->blocks * (block->birth & MU_BIRTH_TIME));
	cell->size_class[sites_class(block->size)] += (uint32_t)sampling_blocks(thread, w);
}

static void remove_from_cell(struct thread *thread, const struct block *block,
			     const struct sample_weight *w, bool is_temporary)
{
	struct mu_cell *cell = sites_cell(thread, block->site);
	uint64_t tick = sites_tick();

	if (unlikely(!cell))
		return;
	if (thread->lifetimes)
		*sites_lifetime_count(thread, block, tick) += sampling_blocks(thread, w);
	sites_keep_peak(cell);
	if (cell->live_bytes > cell->max_bytes)
		cell->max_bytes = cell->live_bytes;
	cell->live_bytes -= (int64_t)w->bytes;
	cell->live_blocks -= (int64_t)w->blocks;
	cell->life += (int64_t)(w->blocks * tick);
	cell->temporary += is_temporary ? w->blocks : 0;
}

/* Under the lock. */
static bool enter_block(struct thread *thread, uint64_t key, const struct block *block,
			unsigned int log2, struct sample_weight *w)
{
	if (log2 < sampling_log2() &&
	    !sampling_survives(thread, block->size, log2, sampling_log2()))
		return false;
	if (!blocks_put(thread, key, block, gate.mode & MODE_MANY)) {
		block_dropped(block->size);
		return false;
	}
	if (!(key & MU_KEY_SPACE))
		sample_filter_add(key);
	*w = sampling_weigh(block->size, sampling_log2());
	add_to_cell(thread, block, w);
	sampling_add_error(block->site, w, true);
	thread->newest = key;
	thread->newest_calls = count_allocations(thread);
	return true;
}

bool sampled_put(struct thread *thread, uint64_t key, const struct block *block, unsigned int log2,
		 struct sample_weight *w)
{
	if (!sampling_lock())
		return false;
	bool ok = enter_block(thread, key, block, log2, w);
	sampling_unlock();
	return ok;
}

/* While the site still has the block that the peak of the heap includes. */
static void note_peak_before_fall(struct thread *thread, uint64_t key, const struct block *block,
				  const struct sample_weight *w)
{
	const bool many = gate.mode & MODE_MANY;

	if ((key & MU_KEY_SPACE) == MU_KEY_NESTED)
		return; /* the heap does not change */
	if (!(gate.mode & MODE_ACCOUNTING && sites_is_ignored(block->site)))
		snapshots_before_fall(many);
	heap_note_peak_before(thread, w->bytes, many);
}

bool sampled_take(struct thread *thread, uint64_t key, struct block *block,
		  struct sample_weight *w)
{
	bool is_temporary = thread->newest == key &&
			    thread->newest_calls == count_allocations(thread);

	coarse_clock_advance();
	if (!sampling_lock())
		return false;
	bool ok = blocks_take(thread, key, block, gate.mode & MODE_MANY);
	if (ok) {
		*w = sampling_weigh(block->size, sampling_log2());
		if (!(key & MU_KEY_SPACE))
			sample_filter_remove(key);
		note_peak_before_fall(thread, key, block, w);
		remove_from_cell(thread, block, w, is_temporary);
		sampling_remove_error(block->site, w);
	}
	sampling_unlock();
	return ok;
}

/* ---- heap --------------------------------------------------------------------------------- */

void sampled_change_heap(struct thread *thread, uint64_t key, const struct block *block,
			 const struct sample_weight *w, int64_t sign)
{
	unsigned int mode = gate.mode;
	bool is_ignored = mode & MODE_ACCOUNTING && sites_is_ignored(block->site);
	uint64_t slop = key & MU_KEY_SPACE ? 0 : mu_slop(block->size);
	uint64_t extra = sampling_extra(slop + snapshot_due.admin, w);
	int64_t change = sign * (int64_t)w->bytes;
	bool many = mode & MODE_MANY;

	if (mode & MODE_ACCOUNTING)
		snapshot_log_count_event(sign > 0 ? MU_MASSIF_ALLOCS : MU_MASSIF_FREES, is_ignored);
	heap_change(thread, change, many);
	if (is_ignored)
		snapshots_ignored(thread, change, many);
	else
		snapshots_changed(thread, sign * (int64_t)extra, w->bytes + extra, many);
}

static void count_freeing_site(struct thread *thread, const struct sample_weight *w, uint64_t sp)
{
	uint32_t site = event_site(thread, MU_FN_FREE, sp, MODE_STACKS);
	struct mu_cell *cell = sites_cell(thread, site);

	if (unlikely(!cell))
		return;
	cell->total_bytes += w->bytes;
	cell->total_blocks += w->blocks;
}

/* ---- events ------------------------------------------------------------------------------- */

/* Doubles R until it fits. */
static void finish_alloc(struct thread *thread, uint64_t began)
{
	sampling_spend(clock_ticks() - began);
	if (!sampling_lock())
		return;
	while (sampling_wants_fewer())
		thinning_double(thread);
	sampling_unlock();
}

/* A function of its own, so that its frame is not there while the stack is walked: stack_room.t. */
static __attribute__((noinline)) void book_sampled(struct thread *thread, const void *block,
						   uint64_t size, uint64_t sp, unsigned int log2,
						   uint32_t site)
{
	unsigned int mode = gate.mode & ~(unsigned int)MODE_STOP;
	struct block record = { .size = size, .site = site, .birth = coarse_clock_advance() };
	struct sample_weight w;

	if (mode & MODE_DEPTH)
		stack_sum_note(thread, sp);
	snapshots_before(record.birth, mode & MODE_MANY);
	if (sampled_put(thread, (uint64_t)block, &record, log2, &w)) {
		sampled_change_heap(thread, (uint64_t)block, &record, &w, 1);
		if (probes_are_wanted())
			probe_alloc(block, size, w.bytes);
	}
	stack_note(thread, sp);
}

static void record_sampled(struct thread *thread, enum mu_fn fn, const void *block, uint64_t size,
			   uint64_t sp, unsigned int log2)
{
	const uint64_t began = clock_ticks();

	book_sampled(thread, block, size, sp, log2, event_site(thread, fn, sp, MODE_STACKS));
	finish_alloc(thread, began);
}

void sampled_alloc(struct thread *thread, enum mu_fn fn, const void *block, uint64_t size,
		   uint64_t sp)
{
	unsigned int log2 = sampling_decide(thread, size);

	if (log2)
		record_sampled(thread, fn, block, size, sp, log2);
}

static bool free_sampled(struct thread *thread, const void *block, struct block *known, uint64_t sp)
{
	unsigned int mode = gate.mode & ~(unsigned int)MODE_STOP;
	struct sample_weight w;

	snapshots_before(coarse_clock_advance(), mode & MODE_MANY);
	if (!sampled_take(thread, (uint64_t)block, known, &w))
		return false;
	if (known->birth & MU_BIRTH_OUTER)
		event_end_nested(thread, (uint64_t)block, (uint64_t)block + known->size, mode);
	sampled_change_heap(thread, (uint64_t)block, known, &w, -1);
	if (mode & MODE_FREES)
		count_freeing_site(thread, &w, sp);
	stack_note(thread, sp);
	known->size = w.bytes;
	return true;
}

bool sampled_free(struct thread *thread, const void *block, struct block *known, uint64_t sp)
{
	if (!sample_filter_may_have((uint64_t)block))
		return false;
	uint64_t began = clock_ticks();
	bool is_sampled = free_sampled(thread, block, known, sp);
	sampling_spend(clock_ticks() - began);
	return is_sampled;
}

void sampled_realloc_take(struct thread *thread, const void *block, struct block *old)
{
	struct sample_weight w;

	if (!sample_filter_may_have((uint64_t)block) ||
	    !sampled_take(thread, (uint64_t)block, old, &w)) {
		old->site = SAMPLED_NONE;
		return;
	}
	sampled_change_heap(thread, (uint64_t)block, old, &w, -1);
	if (probes_are_wanted())
		probe_free(block);
}

/* The realloc failed, so the block is still there. It counts once more among all blocks ever. */
static void put_back(struct thread *thread, const void *block, const struct block *old)
{
	struct sample_weight w;

	if (!sampled_put(thread, (uint64_t)block, old, sampling_log2(), &w))
		return;
	sampled_change_heap(thread, (uint64_t)block, old, &w, 1);
	if (probes_are_wanted())
		probe_alloc(block, old->size, w.bytes);
}

static void count_realloc(struct mu_counters *counters, const void *block, const void *result,
			  uint64_t size)
{
	if (result || size)
		count_call(counters, MU_FN_REALLOC, size, size);
	else
		counters->calls[MU_FN_REALLOC]++;
	counters->failed[MU_FN_REALLOC] += !result && size;
	counters->realloc_free += !result && !size;
	counters->realloc_nomove += result && result == block;
}

void sampled_realloc_done(struct thread *thread, const void *block, const struct block *old,
			  const void *result, uint64_t size, uint64_t sp)
{
	struct mu_counters *counters = &thread->pub.counters;
	bool was_sampled = old->site != SAMPLED_NONE;

	count_realloc(counters, block, result, size);
	if (!result && size) {
		if (was_sampled)
			put_back(thread, block, old);
		return;
	}
	counters->realloc_dec += was_sampled && result && size < old->size;
	if (was_sampled && old->birth & MU_BIRTH_OUTER)
		event_end_nested(thread, (uint64_t)block, (uint64_t)block + old->size, gate.mode);
	if (result && (was_sampled || !(gate.mode & MODE_PAUSED)))
		sampled_alloc(thread, MU_FN_REALLOC, result, size, sp);
}
