/* leak_query.c -- asking the collector for a leak check, and for what holds the blocks.
 *
 * The frames of exit(), of the dynamic linker and of the recorder lie where those of the program
 * were, and have words in them that nothing has written since. So the recorder tells the
 * examiner where the stack of the caller begins, and which registers it had.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/requests/leak_query.h"

#include <errno.h>
#include <stddef.h>

#include "include/memusage.h"
#include "libmemusage/base/lookup.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/collector_query.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/unwind/walk_slow.h"

/* ---- the caller of exit() --------------------------------------------------------------- */

struct code_range {
	uint64_t start, size;
};

/* The functions of libc that run exit handlers, and whether one of them was met. */
struct exit_search {
	struct code_range function[2];
	bool is_met;
};

static bool is_in(const struct code_range *c, uint64_t pc)
{
	return pc - c->start - 1 < c->size;
}

static bool is_inside_exit(void *data, const struct walk_registers *r)
{
	struct exit_search *s = data;
	const uint64_t pc = r->reg[CFI_RA];
	bool was_met = s->is_met;

	s->is_met = is_in(&s->function[0], pc) || is_in(&s->function[1], pc);
	return !was_met || s->is_met;
}

static bool is_below(void *data, const struct walk_registers *r)
{
	return r->reg[CFI_SP] < *(const uint64_t *)data;
}

static struct code_range find_function(const char *name)
{
	const struct link_map *object = lookup_next_object(name);
	struct code_range c = { 0, 0 };

	if (!object || !lookup_sized(object, name, &c.start, &c.size))
		c = (struct code_range){ 0, 0 };
	return c;
}

static void publish_caller(const struct walk_registers *r, uint64_t sp)
{
	/* DWARF's numbers of rbx, rbp, r12 to r15. */
	static const unsigned char kept[MU_EXAMINED_REGISTERS] = { 3, 6, 12, 13, 14, 15 };
	struct mu_examined *e = &rec.image->examined;

	e->exit_sp = r ? r->reg[CFI_SP] : sp;
	for (unsigned int i = 0; i < MU_EXAMINED_REGISTERS; i++)
		e->exit_register[i] = r ? r->reg[kept[i]] : 0;
}

/* The caller is where IS_INNER says, at SP or above; 0: not known. Returns false in a sandbox, or
 * if the thread cannot be recorded. */
static bool find_caller(walk_slow_inner *is_inner, void *data, uint64_t sp)
{
	struct thread *thread = hook_enter();

	if (!thread)
		return false;
	/* This may be the first event of a thread: in a process that was attached to, of all. */
	struct walk *walk = thread->walk ? thread->walk : walk_start_empty(thread);
	if (walk)
		publish_caller(walk_slow_caller(walk, is_inner, data), sp);
	hook_leave(thread);
	return walk;
}

/* ---- the question --------------------------------------------------------------------------- */

static bool is_possible(uint32_t flags)
{
	return rec.flags & flags && collector_query_can_examine();
}

/* Takes the check behind the first one of the answer. Returns its offset, 0 if there is none. */
static uint64_t take_asked_check(struct mu_leak_check *first)
{
	const uint64_t room = rec.image->query_count * 8, head = sizeof(*first);
	uint64_t size = head + first->count * sizeof(*first->loss);

	if (!(first->flags & MU_LEAK_CHECK_PAIR) || first->count > room / sizeof(*first->loss) ||
	    size > room - head)
		return 0;
	first->flags &= ~(uint32_t)MU_LEAK_CHECK_PAIR;
	struct mu_leak_check *asked = arena_at(rec.image->query_offset + size);
	asked->next = rec.image->examined.check;
	return rec.image->query_offset + size;
}

static void take_answer(uint32_t flags)
{
	struct mu_image *image = rec.image;
	struct mu_leak_check *check = arena_at(image->query_offset);
	uint64_t asked = take_asked_check(check);

	check->flags |= flags;
	check->next = asked ? asked : image->examined.check;
	__atomic_store_n(&image->examined.check, image->query_offset, __ATOMIC_RELEASE);
}

static void ask(uint32_t flags)
{
	if (collector_query_examine(MU_QUERY_LEAKS))
		take_answer(flags);
	collector_query_end();
}

static void ask_what_holds(void)
{
	struct mu_image *image = rec.image;

	if (collector_query_examine(MU_QUERY_HOLDERS)) {
		struct mu_holders *answer = arena_at(image->query_offset);

		answer->next = image->holders;
		__atomic_store_n(&image->holders, image->query_offset, __ATOMIC_RELEASE);
	}
	collector_query_end();
}

static bool is_holders_unknown(void)
{
	return rec.flags & MU_CFG_HOLDERS && rec.image->holders == 0;
}

static bool is_forked(void)
{
	return rec.image->process.fork_mono_ns != 0;
}

/* The questions that a process asks at its end. */
static uint32_t wanted_at_end(void)
{
	if (!is_forked())
		return MU_CFG_LEAKS | MU_CFG_HOLDERS;
	return rec.flags & MU_CFG_LEAK_FORKS ? MU_CFG_LEAKS : 0;
}

/* A process asks once when it ends: exit_thread stays. */
static void ask_at_end(void)
{
	if (!is_forked() && is_holders_unknown())
		ask_what_holds();
	if (rec.flags & MU_CFG_LEAKS)
		ask(MU_LEAK_CHECK_AT_END);
}

void leak_query_at_end(void)
{
	struct exit_search s = { .is_met = false };

	if (!rec.image || !is_possible(wanted_at_end()))
		return;
	s.function[0] = find_function("exit");
	s.function[1] = find_function("quick_exit");
	if (find_caller(is_inside_exit, &s, 0))
		ask_at_end();
}

void leak_query_at_immediate_end(uint64_t sp)
{
	if (rec.image && is_possible(wanted_at_end()) && find_caller(is_below, &sp, sp))
		ask_at_end();
}

void leak_query_before_end(uint64_t sp)
{
	if (!is_possible(MU_CFG_HOLDERS) || rec.image->process.fork_mono_ns ||
	    !is_holders_unknown())
		return;
	int saved = errno;
	if (find_caller(is_below, &sp, sp)) {
		ask_what_holds();
		rec.image->examined.exit_thread = 0;
	}
	errno = saved;
}

uint32_t leak_query_flags(uint64_t is_summary, uint64_t delta)
{
	const uint32_t summary = is_summary ? MU_LEAK_CHECK_SUMMARY : 0;

	switch (delta) {
	case MEMUSAGE_LEAK_INCREASED:
		return summary | MU_LEAK_CHECK_INCREASED;
	case MEMUSAGE_LEAK_CHANGED:
		return summary | MU_LEAK_CHECK_CHANGED;
	case MEMUSAGE_LEAK_NEW:
		return summary | MU_LEAK_CHECK_NEW;
	default:
		return summary;
	}
}

void leak_query_now(const struct call_site *place, uint32_t flags)
{
	uint64_t sp = place->sp;

	if (!is_possible(MU_CFG_LEAKS) || !find_caller(is_below, &sp, sp))
		return;
	ask(flags);
	rec.image->examined.exit_thread = 0;
}

void leak_query_count(struct leak_counts *counts, bool blocks)
{
	const uint64_t offset = rec.image ? rec.image->examined.check : 0;

	*counts = (struct leak_counts){ 0 };
	if (!offset)
		return;
	const struct mu_leak_check *check = arena_at(offset);
	for (uint64_t i = 0; i < check->count; i++) {
		const struct mu_loss *loss = &check->loss[i];
		uint64_t value = blocks ? loss->blocks : loss->bytes;

		if (loss->kind > MU_LOSS_DEFINITE)
			continue; /* of blocks that earlier checks called lost */
		if (loss->kind == MU_LOSS_REACHABLE)
			counts->reachable += value;
		else if (loss->kind == MU_LOSS_POSSIBLE)
			counts->dubious += value;
		else
			counts->lost += value;
	}
}
