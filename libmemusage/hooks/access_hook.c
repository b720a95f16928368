/* access_hook.c -- what is left of counting an access where the quick way does not lead on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/access_hook.h"

/* A forked child without an event of its own stays unregistered, since it may only be about to
 * exec. Its image is complete even so. */
static struct thread *enter_for_access(void)
{
	if (!gate.on && rec.state == STATE_FORKED && has_self() && !self->pub.busy) {
		self->pub.busy = hook_mark();
		return self;
	}
	return hook_enter_slow();
}

void access_slow(uint64_t address, uint64_t size, bool is_write)
{
	struct thread *thread = self;

	if (has_self() && thread_is_inside(thread) && gate.on && !hook_recover(thread)) {
		accesses_defer(&thread->access, address, size, is_write);
		return;
	}
	thread = enter_for_access();
	if (!thread)
		return;
	const struct access_block *block = accesses_find(address);
	if (block && is_write)
		accesses_count(&thread->access, block, address, size, true);
	else if (block)
		accesses_count(&thread->access, block, address, size, false);
	accesses_flush(&thread->access);
	hook_leave(thread);
}

void access_flush(struct thread *thread)
{
	hook_begin(thread);
	accesses_flush(&thread->access);
	hook_leave(thread);
}

void access_range(const volatile void *place, uint64_t size, bool is_write)
{
	if (!size)
		return;
	if (is_write)
		access_hook(place, size, true);
	else
		access_hook(place, size, false);
}
