/* pages.c -- which pages are mapped, and by which sites.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/pages/pages.h"

#include "libmemusage/base/memory.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/coarse_clock.h"

#define HELD_FIRST 128u

static struct {
	struct ranges live;
	/* The tag of a part is the number that pages_hold() gave. In no order: the same addresses
	 * can be mapped and held again before the call of the first thread returns. */
	struct ranges held;
	uint32_t last_number; /* of pages_hold() */
} list;

/* A release that is under way. Its first page offers a snapshot. */
struct pages_release {
	struct thread *thread;
	uint32_t by;
	bool has_begun;
	uint64_t bytes;
};

/* ---- sites ------------------------------------------------------------------------------- */

/* A function of its own: its frame is not there while the stack is walked (stack_room.t). */
static __attribute__((noinline)) uint32_t find_site(struct walk *walk, uint64_t pc, unsigned int fn)
{
	uint32_t site, outside;

	if (!walk)
		return 0;
	outside = walk->count;
	if (pc)
		walk_push(walk, pc);
	site = sites_find(walk, fn);
	walk_pop(walk, outside);
	return site;
}

uint32_t pages_site(struct thread *thread, const struct pages_place *place, bool is_free)
{
	/* Calls are rare and cost a microsecond anyway, so the collector need not move the
	 * clock. */
	coarse_clock_advance();
	if (is_free && !(gate.mode & MODE_FREES))
		return 0;
	return find_site(walk_stack(thread, place->sp + 8, *(const uint64_t *)place->sp), place->pc,
			 is_free ? (unsigned int)MU_FN_FREE : MU_SITE_FN_PAGES);
}

uint32_t pages_site_of_start(struct thread *thread, uint64_t object)
{
	struct walk *walk = walk_start_empty(thread);
	uint32_t site;

	if (!walk)
		return 0;
	if (object)
		walk_push(walk, object);
	walk_push(walk, 0);
	site = sites_find(walk, MU_SITE_FN_PAGES);
	walk_start_empty(thread);
	return site;
}

/* ---- accounts ---------------------------------------------------------------------------- */

static void change_cell(struct thread *thread, uint32_t site, int64_t bytes)
{
	struct mu_cell *cell = sites_cell(thread, site);
	int64_t count = bytes / (int64_t)MU_PAGE;

	if (!cell)
		return;
	sites_keep_peak(cell);
	if (bytes < 0 && cell->live_bytes > cell->max_bytes)
		cell->max_bytes = cell->live_bytes;
	cell->live_bytes += bytes;
	cell->live_blocks += count;
	if (bytes < 0)
		return;
	cell->total_bytes += (uint64_t)bytes;
	cell->total_blocks += (uint64_t)count;
	cell->size_class[sites_class(MU_PAGE)] += (uint32_t)count;
}

/* Adds pages of a site to the sum, or takes them off. */
static void account_pages(struct thread *thread, uint32_t site, int64_t bytes, bool offers)
{
	bool is_ignored = gate.mode & MODE_ACCOUNTING && sites_is_ignored(site);
	uint64_t moved = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;

	heap_change(thread, bytes, false);
	change_cell(thread, site, bytes);
	if (gate.mode & MODE_ACCOUNTING && offers)
		snapshot_log_count_event(bytes < 0 ? MU_MASSIF_FREES : MU_MASSIF_ALLOCS,
					 is_ignored);
	if (is_ignored)
		snapshots_ignored(thread, bytes, false);
	else if (offers)
		snapshots_changed(thread, 0, moved, false);
	else
		rec.image->heap.clock += moved;
}

static void count_freed_by(struct thread *thread, uint32_t by, uint64_t bytes)
{
	struct mu_cell *cell = by ? sites_cell(thread, by) : NULL;

	if (!cell)
		return;
	cell->total_bytes += bytes;
	cell->total_blocks += bytes / MU_PAGE;
}

static void release_part(struct pages_release *fall, const struct range *part)
{
	uint64_t bytes = part->end - part->start;

	fall->bytes += bytes;
	count_freed_by(fall->thread, fall->by, bytes);
	if (!fall->has_begun) {
		fall->has_begun = true;
		snapshots_before_fall(false);
		account_pages(fall->thread, part->site, -(int64_t)MU_PAGE, true);
		bytes -= MU_PAGE;
	}
	if (bytes)
		account_pages(fall->thread, part->site, -(int64_t)bytes, false);
}

/* ---- the list ---------------------------------------------------------------------------- */

static void put_range(const struct range *range)
{
	if (!ranges_put(&list.live, range))
		count_drop(mappings);
}

int64_t pages_add(struct thread *thread, uint32_t site, uint64_t start, uint64_t end)
{
	struct range range = { .start = start, .end = end, .site = site }, old;
	int64_t change = (int64_t)(end - start);

	/* The kernel replaces them in one step, so there is no peak and no snapshot in between. */
	while (ranges_take(&list.live, start, end, &old)) {
		int64_t bytes = (int64_t)(old.end - old.start);
		account_pages(thread, old.site, -bytes, false);
		thread->pub.counters.bytes[MU_FN_MUNMAP] += (uint64_t)bytes;
		change -= bytes;
	}
	if (!ranges_put(&list.live, &range)) {
		count_drop(mappings);
		return change - (int64_t)(end - start);
	}
	account_pages(thread, site, (int64_t)(end - start), true);
	return change;
}

uint64_t pages_drop(struct thread *thread, uint64_t start, uint64_t end, uint32_t of_site,
		    uint32_t by)
{
	struct pages_release fall = { .thread = thread, .by = by };
	struct range part;

	while (start < end && ranges_take(&list.live, start, end, &part)) {
		if (of_site == PAGES_ANY_SITE || part.site == of_site)
			release_part(&fall, &part);
		else
			put_range(&part);
		start = part.end;
	}
	return fall.bytes;
}

static bool reserve_held(void)
{
	uint64_t room = list.held.room ? 2 * list.held.room : HELD_FIRST;

	if (list.held.count < list.held.room)
		return true;
	struct range *bigger = memory_map(room * sizeof(*bigger));
	if (!bigger)
		return false;
	for (uint64_t i = 0; i < list.held.count; i++)
		bigger[i] = list.held.range[i];
	if (list.held.range)
		memory_unmap(list.held.range, list.held.room * sizeof(*bigger));
	list.held.range = bigger;
	list.held.room = room;
	return true;
}

uint32_t pages_hold(uint64_t start, uint64_t end)
{
	uint64_t before = list.held.count;
	struct range part;

	list.last_number += list.last_number == UINT32_MAX ? 2 : 1;
	while (start < end && reserve_held() && ranges_take(&list.live, start, end, &part)) {
		part.tag = list.last_number;
		list.held.range[list.held.count++] = part;
		start = part.end;
	}
	return list.held.count > before ? list.last_number : 0;
}

/* Takes the next held part below `end`, in the order of addresses. */
static bool take_next_held(uint32_t number, uint64_t end, struct range *part)
{
	uint64_t best = list.held.count;

	for (uint64_t i = 0; i < list.held.count; i++)
		if (list.held.range[i].tag == number && list.held.range[i].start < end &&
		    (best == list.held.count ||
		     list.held.range[i].start < list.held.range[best].start))
			best = i;
	if (!number || best == list.held.count)
		return false;
	struct range *found = &list.held.range[best];
	*part = *found;
	part->tag = 0;
	if (part->end > end) {
		part->end = end;
		found->start = end;
	} else {
		*found = list.held.range[--list.held.count];
	}
	return true;
}

void pages_put_back_below(uint32_t number, uint64_t end)
{
	struct range part, other;

	while (take_next_held(number, end, &part)) {
		/* True only if a third thread mapped there by MAP_FIXED meanwhile. */
		if (ranges_take(&list.live, part.start, part.end, &other)) {
			put_range(&other);
			count_drop(mappings);
		} else {
			put_range(&part);
		}
	}
}

void pages_put_back(uint32_t number)
{
	pages_put_back_below(number, UINT64_MAX);
}

uint64_t pages_release_held(struct thread *thread, uint32_t number, uint64_t end, uint32_t by)
{
	struct pages_release fall = { .thread = thread, .by = by };
	struct range part;

	while (take_next_held(number, end, &part))
		release_part(&fall, &part);
	return fall.bytes;
}

const struct ranges *pages_live(void)
{
	return &list.live;
}

void pages_forget(void)
{
	ranges_free(&list.live);
	list.held.count = 0;
}

void pages_forked(void)
{
	list.held.count = 0;
}

/* ---- the lock ---------------------------------------------------------------------------- */

bool pages_lock(void)
{
	if (spin_lock(&rec.image->heap.lock))
		return true;
	count_drop(mappings);
	return false;
}

void pages_unlock(void)
{
	spin_unlock(&rec.image->heap.lock);
}

void pages_done(struct thread *thread, int64_t change, uint64_t sp)
{
	uint64_t depth = stack_note(thread, sp);

	if (gate.mode & MODE_LOG)
		log_append(thread, change, depth, gate.mode & MODE_MANY);
}
