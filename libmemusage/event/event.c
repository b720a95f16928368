/* event.c -- the rarer ways into and through an event.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/event/event.h"

#include "libmemusage/base/locks.h"
#include "libmemusage/event/earlier_blocks.h"
#include "libmemusage/event/sampled_event.h"
#include "libmemusage/image/list_lock.h"
#include "libmemusage/tables/block_search.h"
#include "libmemusage/tables/stack_sum.h"

/* A stop waits for threads that are in the hook already, so they ignore its mode. */
static unsigned int mode_without_stop(void)
{
	return __atomic_load_n(&gate.mode, __ATOMIC_RELAXED) & ~(unsigned int)MODE_STOP;
}

static void set_hook_busy(struct thread *thread)
{
	thread->pub.busy = hook_mark();
	__asm__ volatile("" ::: "memory");
}

void hook_begin(struct thread *thread)
{
	set_hook_busy(thread);
	if (stop_asked())
		hook_wait(thread);
}

void hook_wait(struct thread *thread)
{
	if (!stop_is_on())
		return;
	uint32_t changes_list = list_lock_must_be_freed();
	__atomic_fetch_add(&locks.stop_waiting, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&locks.stop_holders, changes_list, __ATOMIC_RELAXED);
	do {
		hook_leave(thread);
		stop_await();
		set_hook_busy(thread);
	} while (stop_is_on());
	__atomic_fetch_sub(&locks.stop_holders, changes_list, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&locks.stop_waiting, 1, __ATOMIC_RELEASE);
}

void event_end_nested(struct thread *thread, uint64_t start, uint64_t end, unsigned int mode)
{
	struct block block;

	for (; block_search_next(MU_KEY_NESTED, &start, end, mode & MODE_MANY); start++) {
		uint64_t key = block_search_key(MU_KEY_NESTED, start);
		struct sample_weight w;
		if (mode & MODE_SAMPLE)
			sampled_take(thread, key, &block, &w);
		else if (blocks_take(thread, key, &block, mode & MODE_MANY) && mode & MODE_STACKS)
			sites_free(thread, &block, thread->newest == key, sites_tick());
	}
}

uint64_t event_extra_marked(uint64_t address, const struct block *block)
{
	uint64_t slop = block->birth & MU_BIRTH_SLACK ?
				shrunk_forget(address, block->size, block->birth) :
				0;

	if (!slop)
		slop = mu_slop(block->size);
	if (block->birth & MU_BIRTH_OUTER)
		event_end_nested(self, address, address + block->size, gate.mode);
	return slop + snapshot_due.admin;
}

static void record_new_block(struct thread *thread, enum mu_fn fn, const void *block, uint64_t size,
			     uint64_t sp, unsigned int mode)
{
	if (mode == MODE_STACKS)
		event_new(thread, fn, block, size, sp, MODE_STACKS);
	else
		event_new(thread, fn, block, size, sp, mode);
	if (probes_are_wanted())
		probe_alloc(block, size, size);
}

void event_alloc_slow(struct thread *thread, enum mu_fn fn, const void *block, uint64_t size,
		      uint64_t sp)
{
	unsigned int mode = mode_without_stop();

	if (unlikely(mode & (MODE_PAUSED | MODE_PAGES))) {
		if (mode & MODE_PAGES)
			return;
		thread->pub.counters.paused_calls++;
		thread->pub.counters.paused_bytes += size;
		return;
	}
	if (unlikely(mode & MODE_DEPTH && !(mode & MODE_SAMPLE)))
		stack_sum_note(thread, sp);
	count_call(&thread->pub.counters, fn, size, size);
	if (!block)
		thread->pub.counters.failed[fn]++;
	else if (mode & MODE_SAMPLE)
		sampled_alloc(thread, fn, block, size, sp);
	else
		record_new_block(thread, fn, block, size, sp, mode);
}

void event_free_unknown(struct thread *thread, const void *block, uint64_t sp)
{
	unsigned int mode = gate.mode;

	if (mode & MODE_SAMPLE)
		thread->pub.counters.calls[MU_FN_FREE] += !(mode & MODE_PAUSED);
	else if (!rec.was_paused)
		thread->pub.counters.unknown_frees++;
	else if (!(mode & MODE_PAUSED))
		earlier_blocks_free(thread, block, sp);
}

bool event_free_slow(struct thread *thread, const void *block, struct block *known, uint64_t sp)
{
	unsigned int mode = mode_without_stop();

	if (unlikely(mode & MODE_SAMPLE))
		return sampled_free(thread, block, known, sp);
	if (unlikely(mode & MODE_DEPTH))
		stack_sum_note(thread, sp);
	if (mode == MODE_STACKS)
		return event_take(thread, block, known, sp, MODE_STACKS);
	return event_take(thread, block, known, sp, mode);
}

void event_change_slow(struct thread *thread, int64_t change, uint64_t sp)
{
	unsigned int mode = mode_without_stop();

	heap_change(thread, change, mode & MODE_MANY);
	uint64_t depth = stack_note(thread, sp);
	if (mode & MODE_LOG)
		log_append(thread, change, depth, mode & MODE_MANY);
}
