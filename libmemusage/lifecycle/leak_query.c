/* leak_query.c -- asking the collector for a leak check before this process ends.
 *
 * The frames of exit(), of the dynamic linker and of the recorder lie where those of the program
 * were, and have words in them that nothing has written since. So the examiner is told where the
 * stack of the caller of exit() begins, and which registers it had.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/leak_query.h"

#include <stddef.h>
#include <sys/prctl.h>

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
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

static bool is_inside_exit(void *data, uint64_t pc)
{
	struct exit_search *s = data;
	bool was_met = s->is_met;

	s->is_met = is_in(&s->function[0], pc) || is_in(&s->function[1], pc);
	return !was_met || s->is_met;
}

static bool is_inside_call(void *data, uint64_t pc)
{
	return pc != *(const uint64_t *)data;
}

static struct code_range find_function(const char *name)
{
	const struct link_map *object = lookup_next_object(name);
	struct code_range c = { 0, 0 };

	if (!object || !lookup_sized(object, name, &c.start, &c.size))
		c = (struct code_range){ 0, 0 };
	return c;
}

static void publish_caller(const struct walk_registers *r)
{
	/* DWARF's numbers of rbx, rbp, r12 to r15. */
	static const unsigned char kept[MU_EXAMINED_REGISTERS] = { 3, 6, 12, 13, 14, 15 };
	struct mu_examined *e = &rec.image->examined;

	e->exit_sp = r ? r->reg[CFI_SP] : 0;
	for (unsigned int i = 0; i < MU_EXAMINED_REGISTERS; i++)
		e->exit_register[i] = r ? r->reg[kept[i]] : 0;
}

/* ---- the question ----------------------------------------------------------------------- */

static bool is_wanted(void)
{
	return rec.flags & MU_CFG_LEAKS && gate.on && rec.pid == sys_getpid() && has_self() &&
	       self->walk && !sandbox.is_on && rec.image->process.fork_mono_ns == 0 &&
	       rec.image->examined.exit_thread == 0;
}

/* The collector is no parent of this process: Yama must be told that its children may trace it. */
static void allow_examiner(void)
{
	SYS2(SYS_prctl, PR_SET_PTRACER, rec.segment->collector_pid);
}

static void take_answer(void)
{
	struct mu_image *image = rec.image;
	struct mu_leak_check *check = arena_at(image->query_offset);

	check->next = image->examined.check;
	__atomic_store_n(&image->examined.check, image->query_offset, __ATOMIC_RELEASE);
}

static void ask(void)
{
	rec.image->examined.exit_thread = (uint32_t)sys_gettid();
	allow_examiner();
	while (!collector_query_begin(MU_QUERY_LEAKS))
		;
	if (collector_query_ask())
		take_answer();
	collector_query_end();
}

void leak_query_at_end(void)
{
	struct exit_search s = { .is_met = false };

	if (!is_wanted())
		return;
	s.function[0] = find_function("exit");
	s.function[1] = find_function("quick_exit");
	publish_caller(walk_slow_caller(self->walk, is_inside_exit, &s));
	ask();
}

void leak_query_at_immediate_end(uint64_t caller)
{
	if (!is_wanted())
		return;
	publish_caller(walk_slow_caller(self->walk, is_inside_call, &caller));
	ask();
}
