/* realloc.c -- recording a realloc.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stddef.h>

#include "libmemusage/base/quiet.h"
#include "libmemusage/event/earlier_blocks.h"
#include "libmemusage/event/event.h"
#include "libmemusage/event/sampled_event.h"
#include "libmemusage/tables/stack_sum.h"

#define REALLOC_MODES \
	(MODE_MANY | MODE_LOG | MODE_STACKS | MODE_ACCOUNTING | MODE_FREES | MODE_ACCESSES | \
	 MODE_POINTS)

/* With call stacks: replaces a block by its successor, in Massif's accounting. The successor stays
 * in the old room if it fits. Returns the change of the extra bytes. */
static int64_t replace_with_stacks(struct thread *thread, const void *block,
				   const struct block *old, const void *result, struct block *next,
				   unsigned int mode)
{
	uint64_t old_extra = event_extra((uint64_t)block, old) - snapshot_due.admin;
	uint64_t room = old->size + old_extra;

	if (next->size < old->size) {
		snapshots_before_fall(mode & MODE_MANY);
		heap_note_peak_before(thread, old->size - next->size, mode & MODE_MANY);
	}
	sites_free(thread, old, false, sites_tick());
	next->birth = sites_tick();
	if (next->size > room || room == next->size + mu_slop(next->size))
		return (int64_t)mu_slop(next->size) - (int64_t)old_extra;
	if (!shrunk_remember((uint64_t)result, next->size, room, &next->birth))
		return (int64_t)mu_slop(next->size) - (int64_t)old_extra;
	return (int64_t)(room - next->size) - (int64_t)old_extra;
}

/* Records a realloc that Massif's accounting leaves out, because it ignores the block already, or
 * the caller: then the block is ignored. As in Massif, a site that such a block leaves keeps its
 * bytes, and one that it comes to gets them, for good. Returns false if it is no such realloc. */
static bool replace_ignored(struct thread *thread, const void *block, const struct block *old,
			    struct block *next, unsigned int mode)
{
	bool was = sites_is_ignored(old->site), is = sites_is_ignored(next->site);

	if (!was && !is) {
		snapshot_log_count_event(MU_MASSIF_REALLOCS, false);
		return false;
	}
	snapshot_log_count_ignored_realloc(was);
	if (next->size < old->size)
		heap_note_peak_before(thread, old->size - next->size, mode & MODE_MANY);
	if (!was) {
		sites_charge(old->site, old->size);
		event_extra((uint64_t)block, old);
	} else if (!is) {
		sites_charge(next->site, next->size);
		next->site = old->site;
	}
	sites_free(thread, old, false, sites_tick());
	next->birth = sites_tick();
	return true;
}

/* The site of a block that realloc changed; its point in DHAT's accounting is the old one's. */
static uint32_t find_realloc_site(struct thread *thread, const struct block *old, uint64_t sp,
				  unsigned int mode)
{
	if (!(mode & MODE_POINTS))
		return event_site(thread, MU_FN_REALLOC, sp, mode);
	return sites_find_from(walk_stack(thread, sp + 8, *(const uint64_t *)sp), MU_FN_REALLOC,
			       old->site);
}

/* Counts the block again at its point, or removes it there if the table does not have it. */
static void resize_at_point(struct thread *thread, const struct block *old,
			    const struct block *next, bool is_known, unsigned int mode)
{
	const struct mu_cell *cell = sites_cell(thread, is_known ? next->site : old->site);

	if (cell && is_known)
		points_resize(cell->point, old->size, next->size, mode & MODE_MANY);
	else if (cell)
		points_free(cell->point, old->size, mode & MODE_MANY);
}

static void record_realloc(struct thread *thread, const void *block, const struct block *old,
			   const void *result, size_t size, uint64_t sp)
{
	unsigned int mode = gate.mode & REALLOC_MODES;
	int64_t change = (int64_t)size - (int64_t)old->size;
	struct block next = { .size = size, .site = find_realloc_site(thread, old, sp, mode) };
	int64_t extra = 0;

	bool is_ignored =
		mode & MODE_ACCOUNTING && replace_ignored(thread, block, old, &next, mode);
	if (mode & MODE_STACKS && !is_ignored)
		extra = replace_with_stacks(thread, block, old, result, &next, mode);
	event_freed_by(thread, old->size, sp, mode);
	bool is_known = event_put(thread, result, &next, change, sp,
				  mode & ~(unsigned int)MODE_POINTS);
	if (mode & MODE_POINTS)
		resize_at_point(thread, old, &next, is_known, mode);
	if (mode & MODE_ACCESSES)
		accesses_note_copy(&thread->access, old->site, next.site,
				   size < old->size ? size : old->size);
	if (is_ignored) {
		snapshots_ignored(thread, change, mode & MODE_MANY);
	} else if (mode & MODE_STACKS) {
		int64_t moved = change + extra;
		snapshots_changed(thread, extra, (uint64_t)(moved < 0 ? -moved : moved),
				  mode & MODE_MANY);
	}
}

/* realloc(block, 0) freed the block. */
static void record_realloc_free(struct thread *thread, const void *block, const struct block *old,
				uint64_t sp)
{
	unsigned int mode = gate.mode & REALLOC_MODES;

	thread->pub.counters.calls[MU_FN_REALLOC]++;
	thread->pub.counters.realloc_free++;
	thread->pub.counters.bytes[MU_FN_FREE] += old->size;
	event_freed(thread, block, old, sp, mode);
}

static void count_unknown_realloc(struct thread *thread, const void *block)
{
	if (!rec.was_paused)
		thread->pub.counters.unknown_frees++;
	else if (!(gate.mode & MODE_PAUSED))
		earlier_blocks_realloc(thread, block);
}

bool realloc_take(struct thread *thread, const void *block, struct block *old)
{
	if (unlikely(gate.mode & MODE_SAMPLE)) {
		sampled_realloc_take(thread, block, old);
		return true;
	}
	bool known = blocks_take(thread, (uint64_t)block, old, gate.mode & MODE_MANY);

	if (!known) {
		count_unknown_realloc(thread, block);
		return false;
	}
	thread->pub.flags |= MU_THREAD_MOVES;
	if (gate.mode & MODE_ACCESSES)
		accesses_remove_block(&thread->access, (uint64_t)block);
	if (probes_are_wanted())
		probe_free(block);
	return true;
}

/* The realloc failed: the old block is still there. */
static void put_back_block(struct thread *thread, const void *block, const struct block *old)
{
	if (!blocks_put(thread, (uint64_t)block, old, gate.mode & MODE_MANY)) {
		block_dropped(old->size);
		return;
	}
	if (gate.mode & MODE_ACCESSES)
		accesses_add_block(&thread->access, (uint64_t)block, old->size, old->site);
	if (probes_are_wanted())
		probe_alloc(block, old->size, old->size);
}

static void record_result(struct thread *thread, const void *block, const struct block *old,
			  const void *result, size_t size, uint64_t sp)
{
	struct mu_counters *counters = &thread->pub.counters;
	uint64_t growth = size > old->size ? size - old->size : 0;

	if (unlikely(gate.mode & MODE_SAMPLE)) {
		sampled_realloc_done(thread, block, old, result, size, sp);
		return;
	}
	if (unlikely(gate.mode & MODE_DEPTH))
		stack_sum_note(thread, sp);
	if (!result && !size) {
		record_realloc_free(thread, block, old, sp);
		return;
	}
	count_call(counters, MU_FN_REALLOC, growth, size);
	if (!result) {
		counters->failed[MU_FN_REALLOC]++;
		put_back_block(thread, block, old);
		return;
	}
	counters->realloc_nomove += result == block;
	counters->realloc_dec += size < old->size;
	record_realloc(thread, block, old, result, size, sp);
	if (probes_are_wanted())
		probe_alloc(result, size, size);
}

void realloc_done(struct thread *thread, const void *block, const struct block *old,
		  const void *result, size_t size, uint64_t sp)
{
	record_result(thread, block, old, result, size, sp);
	thread->pub.flags &= ~(uint32_t)MU_THREAD_MOVES;
}
