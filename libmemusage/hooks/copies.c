/* copies.c -- copy mode.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/copies.h"

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/quiet.h"
#include "libmemusage/event/event.h"
#include "libmemusage/hooks/inner.h"
#include "libmemusage/hooks/next.h"

#define NEAR 160 /* bytes of code between the two hooks of one copy */

struct copies copies;

/* A copy is no live block: only the totals of its site change. */
static void count_copy(struct thread *thread, uint32_t site, uint64_t bytes)
{
	struct mu_cell *cell = sites_cell(thread, site);

	if (!cell)
		return;
	cell->total_bytes += bytes;
	cell->total_blocks++;
	cell->size_class[sites_class(bytes)]++;
}

__attribute__((noinline)) void copies_event(enum mu_copy which, uint64_t bytes, uint64_t sp)
{
	struct thread *thread;

	if (copies_quiet)
		return;
	thread = hook_enter();
	if (!thread)
		return;
	uint32_t site = sites_find(walk_stack(thread, sp + 8, *(const uint64_t *)sp),
				   MU_FN_COPY + which);
	count_copy(thread, site, bytes);
	stack_note(thread, sp);
	hook_leave(thread);
}

void copies_range(uint64_t bytes, bool is_write, uint64_t pc, uint64_t sp)
{
	static __thread struct {
		uint64_t bytes, pc, sp;
		bool is_write;
	} last;

	if (last.bytes == bytes && last.sp == sp && last.is_write != is_write &&
	    pc - last.pc < NEAR) {
		last.bytes = 0;
		copies_event(MU_COPY_INLINE, bytes, sp);
		return;
	}
	last.bytes = bytes;
	last.pc = pc;
	last.sp = sp;
	last.is_write = is_write;
}

__attribute__((constructor)) static void start_copy_mode(void)
{
	next_resolve();
	if (rec.flags & MU_CFG_ACCESSES && rec.state == STATE_ON &&
	    !lookup_object("memusage_hooks_are_linked"))
		rec.image->notes |= MU_NOTE_NO_HOOKS;
	if (!(rec.flags & MU_CFG_COPIES) || rec.state != STATE_ON)
		return;
	rec.image->notes |= MU_NOTE_COPIES;
	copies.are_seen_inside = inner_redirect();
	copies.are_on = true;
}
