/* returned_block.h -- recording a block that another library's function has returned.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include "libmemusage/event/event.h"
#include "libmemusage/image/asleep.h"

/* returned_block_record -- record a block, unless the function got it from malloc, which has
 * recorded it.
 *
 * fn     what it counts as.
 * block  NULL: nothing is recorded.
 * size   bytes that were asked for.
 * sp     hook_sp() of the interposed function.
 * The block is not changed. Call outside the hook.
 */
INLINE void returned_block_record(enum mu_fn fn, void *block, size_t size, uint64_t sp)
{
	struct thread *thread = block && !is_asleep() ? hook_enter() : NULL;

	if (!thread)
		return;
	if (!event_knows(thread, block))
		event_alloc(thread, fn, block, size, sp);
	hook_leave(thread);
}
