/* tree_idle.c -- processes that do nothing need no clock that moves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/tree_idle.h"

#include "memusage/common/clock.h"
#include "memusage/record/live.h"

#define LOOK_NS UINT64_C(100000000)

/* The emulator's plugin, and hooks of reads and writes, look at the clock without an event. */
static bool may_rest(const struct tree_arena *ta)
{
	return waker_ticks(&ta->waker) && !(ta->arena.view.head.config.flags & MU_CFG_ACCESSES);
}

/* Calls VISIT for every image of the arena that is being recorded into, until it returns false:
 * then so does this. One that a forked child has not announced takes the slow way at its first
 * event. */
static bool all_images(const struct tree_arena *ta, bool (*visit)(const struct live *))
{
	for (uint32_t k = 0; k < ta->arena.view.head.slot_count; k++) {
		struct live l;

		if (arena_state(&ta->arena, k) != MU_SLOT_LIVE)
			continue;
		live_borrow(&l, &ta->arena.view, k, 0);
		if (!visit(&l))
			return false;
	}
	return true;
}

static bool knock(const struct live *l)
{
	live_knock(l);
	return true;
}

/* Knocks that were there at one look are still there at the next: nobody had an event between. Who
 * finds his knock looks at tick_rests afterwards, so that is set before we believe it. */
static void look(struct tree_arena *ta)
{
	struct waker *w = &ta->waker;

	if (all_images(ta, live_is_quiet)) {
		if (waker_is_resting(w))
			return;
		waker_rest(w);
		if (all_images(ta, live_is_quiet))
			return;
	}
	waker_go_on(w);
	all_images(ta, knock);
}

int tree_idle_look(struct tree *t)
{
	bool is_due, has_ticks = false;
	uint64_t now = 0;

	for (unsigned int i = 0; i < t->arena_count; i++)
		has_ticks |= may_rest(t->arena[i]);
	if (!has_ticks)
		return -1;
	now = clock_now(CLOCK_MONOTONIC);
	is_due = now >= t->idle_due_ns;
	for (unsigned int i = 0; i < t->arena_count && is_due; i++)
		if (may_rest(t->arena[i]))
			look(t->arena[i]);
	if (is_due)
		t->idle_due_ns = now + LOOK_NS;
	return (int)((t->idle_due_ns - now + 999999) / 1000000);
}
