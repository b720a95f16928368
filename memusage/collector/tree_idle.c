/* tree_idle.c -- Pause the clocks of arenas without events.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/tree_idle.h"

#include "memusage/common/clock.h"
#include "memusage/record/live.h"

#define LOOK_NS UINT64_C(100000000)

/* The emulator's plugin and the hooks of reads and writes use the clock without an event. */
static bool may_pause_clock(const struct tree_arena *ta)
{
	return futex_watch_moves_clock(&ta->watch) &&
	       !(ta->arena.view.head.config.flags & MU_CFG_ACCESSES);
}

/* Calls VISIT for every live image of the arena until it returns false, and then returns false. The
 * image of a forked child that has not registered takes the slow path at its first event. */
static bool visit_live_images(const struct tree_arena *ta, bool (*visit)(const struct live *))
{
	for (uint32_t k = 0; k < ta->arena.view.head.slot_count; k++) {
		struct live l;

		if (arena_state(&ta->arena, k) != MU_SLOT_LIVE)
			continue;
		live_from_view(&l, &ta->arena.view, k, 0);
		if (!visit(&l))
			return false;
	}
	return true;
}

static bool set_pending_flags(const struct live *l)
{
	live_set_pending(l);
	return true;
}

/* Flags that stay from one check to the next prove that there was no event between. A thread that
 * clears its flag reads tick_rests afterwards, so tick_rests is set before the flags are checked
 * again. */
static void update_clock_pause(struct tree_arena *ta)
{
	struct futex_watch *w = &ta->watch;

	if (visit_live_images(ta, live_is_quiet)) {
		if (futex_watch_is_clock_paused(w))
			return;
		futex_watch_pause_clock(w);
		if (visit_live_images(ta, live_is_quiet))
			return;
	}
	futex_watch_resume_clock(w);
	visit_live_images(ta, set_pending_flags);
}

int tree_idle_check(struct tree *t)
{
	bool is_due, has_ticks = false;
	uint64_t now = 0;

	for (unsigned int i = 0; i < t->arena_count; i++)
		has_ticks |= may_pause_clock(t->arena[i]);
	if (!has_ticks)
		return -1;
	now = clock_now(CLOCK_MONOTONIC);
	is_due = now >= t->idle_due_ns;
	for (unsigned int i = 0; i < t->arena_count && is_due; i++)
		if (may_pause_clock(t->arena[i]))
			update_clock_pause(t->arena[i]);
	if (is_due)
		t->idle_due_ns = now + LOOK_NS;
	return (int)((t->idle_due_ns - now + 999999) / 1000000);
}
