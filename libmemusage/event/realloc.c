/* realloc.c -- what becomes of a block that is reallocated.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stddef.h>

#include "libmemusage/base/quiet.h"
#include "libmemusage/event/event.h"
#include "libmemusage/tables/stack_sum.h"

#define REALLOC_MODES \
	(MODE_MANY | MODE_LOG | MODE_STACKS | MODE_ACCOUNTING | MODE_FREES | MODE_ACCESSES | \
	 MODE_POINTS)

/* With call stacks: a block gives way to its successor, in Massif's books. The successor
 * stays in the old room if it fits. Returns the extra bytes it brings. */
static int64_t replace_stacked(struct thread *thread, const void *block, const struct block *old,
			       const void *result, struct block *next, unsigned int mode)
{
	uint64_t old_extra = event_extra((uint64_t)block, old) - snapshot_due.admin;
	uint64_t room = old->size + old_extra;

	if (next->size < old->size) {
		snapshots_before_fall(mode & MODE_MANY);
		heap_note_peak(mode & MODE_MANY);
	}
	sites_free(thread, old, false, sites_tick());
	next->birth = sites_tick();
	if (next->size > room || room == next->size + mu_slop(next->size))
		return (int64_t)mu_slop(next->size) - (int64_t)old_extra;
	if (!slack_put((uint64_t)result, next->size, room, &next->birth))
		return (int64_t)mu_slop(next->size) - (int64_t)old_extra;
	return (int64_t)(room - next->size) - (int64_t)old_extra;
}

/* A realloc that Massif's books do not see, because its block is ignored already or what calls
 * it is: its block is ignored from now on. As in Massif the place that such a block left keeps
 * its bytes in the books, and one that it came to gets them, for good. */
static bool replace_ignored(struct thread *thread, const void *block, const struct block *old,
			    struct block *next, unsigned int mode)
{
	bool was = sites_is_ignored(old->site), is = sites_is_ignored(next->site);

	if (!was && !is) {
		journal_event(MU_MASSIF_REALLOCS, false);
		return false;
	}
	journal_realloc(was);
	if (next->size < old->size)
		heap_note_peak(mode & MODE_MANY);
	if (!was) {
		sites_book(old->site, old->size);
		event_extra((uint64_t)block, old);
	} else if (!is) {
		sites_book(next->site, next->size);
		next->site = old->site;
	}
	sites_free(thread, old, false, sites_tick());
	next->birth = sites_tick();
	return true;
}

/* The site of a block that realloc changed; in DHAT's books it is still the old one's. */
static uint32_t realloc_site(struct thread *thread, const struct block *old, uint64_t sp,
			     unsigned int mode)
{
	if (!(mode & MODE_POINTS))
		return event_site(thread, MU_FN_REALLOC, sp, mode);
	return sites_find_from(walk_stack(thread, sp + 8, *(const uint64_t *)sp), MU_FN_REALLOC,
			       old->site);
}

/* Its point counts it anew, or, if it could not be remembered, loses it. */
static void realloc_point(struct thread *thread, const struct block *old,
			  const struct block *next, bool is_known, unsigned int mode)
{
	const struct mu_cell *cell = sites_cell(thread, is_known ? next->site : old->site);

	if (cell && is_known)
		points_resize(cell->point, old->size, next->size, mode & MODE_MANY);
	else if (cell)
		points_free(cell->point, old->size, mode & MODE_MANY);
}

static void realloc_moved(struct thread *thread, const void *block, const struct block *old,
			  const void *result, size_t size, uint64_t sp)
{
	unsigned int mode = gate.mode & REALLOC_MODES;
	int64_t change = (int64_t)size - (int64_t)old->size;
	struct block next = { .size = size, .site = realloc_site(thread, old, sp, mode) };
	int64_t extra = 0;

	bool is_ignored = mode & MODE_ACCOUNTING &&
			  replace_ignored(thread, block, old, &next, mode);
	if (mode & MODE_STACKS && !is_ignored)
		extra = replace_stacked(thread, block, old, result, &next, mode);
	event_freed_by(thread, old->size, sp, mode);
	bool is_known = event_put(thread, result, &next, change, sp,
				  mode & ~(unsigned int)MODE_POINTS);
	if (mode & MODE_POINTS)
		realloc_point(thread, old, &next, is_known, mode);
	if (mode & MODE_ACCESSES)
		accesses_copied(&thread->access, old->site, next.site,
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
static void realloc_freed(struct thread *thread, const void *block, const struct block *old,
			  uint64_t sp)
{
	unsigned int mode = gate.mode & REALLOC_MODES;

	thread->pub.counters.calls[MU_FN_REALLOC]++;
	thread->pub.counters.realloc_free++;
	thread->pub.counters.bytes[MU_FN_FREE] += old->size;
	event_gone(thread, block, old, sp, mode);
}

bool realloc_take(struct thread *thread, const void *block, struct block *old)
{
	bool known = blocks_take(thread, (uint64_t)block, old, gate.mode & MODE_MANY);

	if (!known && !rec.was_paused)
		thread->pub.counters.unknown_frees++;
	else if (known && gate.mode & MODE_ACCESSES)
		accesses_died(&thread->access, (uint64_t)block);
	return known;
}

/* The old block has been taken out of the table; put in what became of it. */
void realloc_done(struct thread *thread, const void *block, const struct block *old,
		  const void *result, size_t size, uint64_t sp)
{
	struct mu_counters *counters = &thread->pub.counters;
	uint64_t growth = size > old->size ? size - old->size : 0;

	if (unlikely(gate.mode & MODE_DEPTH))
		depths_note(thread, sp);
	if (!result && !size) {
		realloc_freed(thread, block, old, sp);
		return;
	}
	count_call(counters, MU_FN_REALLOC, growth, size);
	if (!result) {
		counters->failed[MU_FN_REALLOC]++;
		if (!blocks_put(thread, (uint64_t)block, old, gate.mode & MODE_MANY))
			block_dropped(old->size);
		else if (gate.mode & MODE_ACCESSES)
			accesses_born(&thread->access, (uint64_t)block, old->size, old->site);
		return;
	}
	counters->realloc_nomove += result == block;
	counters->realloc_dec += size < old->size;
	realloc_moved(thread, block, old, result, size, sp);
}
