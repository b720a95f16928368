/* emulated_event.c -- events of an emulated process that run natively.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/emulated/emulated_event.h"

#include "libmemusage/emulated/emulated.h"
#include "libmemusage/event/event.h"
#include "libmemusage/tables/block_search.h"

/* ---- emulated ---------------------------------------------------------------------------- */

#ifndef __x86_64__
const char emulated_event_ask[1]; /* no instruction's address: the plugin never answers */
#endif

static bool ask_plugin(struct emulated_event *event)
{
#ifdef __x86_64__
	__asm__ volatile(".globl emulated_event_ask\n"
			 ".hidden emulated_event_ask\n"
			 "emulated_event_ask:\n\t"
			 "movl %1, %0"
			 : "=m"(event->state)
			 : "i"(EMULATED_ASKED)
			 : "memory");
#endif
	return event->state == EMULATED_RECORDED;
}

bool emulated_event(enum mu_fn fn, const void *block, uint64_t size, uint64_t sp)
{
	struct thread *thread = self;
	struct emulated_event event = { .fn = fn, .thread = (uint64_t)thread,
					.block = (uint64_t)block, .size = size, .sp = sp };

	if (!rec.emulator_answers || !block || !gate.on || thread->pub.busy)
		return false;
	thread->pub.busy = hook_mark();
	__asm__ volatile("" ::: "memory");
	bool ok = !stop_asked() && ask_plugin(&event);
	hook_leave(thread);
	return ok;
}

/* ---- not emulated ------------------------------------------------------------------------ */

static bool answer_alloc(struct thread *thread, const struct emulated_event *event)
{
	/* The site is found twice, the first time without harm if it is not known; the second
	 * time costs 5 ns. */
	if (!event_site(thread, event->fn, event->sp, MODE_STACKS))
		return false;
	event_alloc_slow(thread, event->fn, (const void *)event->block, event->size, event->sp);
	return true;
}

static bool answer_free(struct thread *thread, const struct emulated_event *event, bool many)
{
	struct block known;

	/* The end of a block with others inside is announced, which is not for here. */
	if (!block_search_peek(thread, event->block, 0, &known, many) ||
	    known.birth & MU_BIRTH_OUTER ||
	    !event_free_slow(thread, (const void *)event->block, &known, event->sp))
		return false;
	thread->pub.counters.calls[MU_FN_FREE]++;
	thread->pub.counters.bytes[MU_FN_FREE] += known.size;
	return true;
}

static bool is_usual_mode(unsigned int mode)
{
	return (mode & ~(unsigned int)(MODE_MANY | MODE_POINTS)) == (MODE_STACKS | MODE_ACCESSES) &&
	       (!(mode & MODE_POINTS) || points_all()->clock != MU_CLOCK_NS);
}

void emulated_event_answer(struct emulated_event *event)
{
	struct thread *thread = (struct thread *)event->thread;
	struct walk *walk = thread->walk;
	unsigned int mode = gate.mode;

	if (!is_usual_mode(mode) || !walk || !walk_is_on(walk, event->sp + 8) ||
	    !snapshots_suspend(event->fn == MU_FN_FREE, mode & MODE_MANY))
		return;
	walk->known_only = true;
	bool ok = event->fn == MU_FN_FREE ? answer_free(thread, event, mode & MODE_MANY)
					  : answer_alloc(thread, event);
	walk->known_only = false;
	snapshots_resume();
	if (ok)
		event->state = EMULATED_RECORDED;
}
