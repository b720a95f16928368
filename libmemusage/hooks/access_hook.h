/* access_hook.h -- an access of the program, seen by a compiler's hook or by an interposed function
 * of the C library.
 *
 * An address outside all blocks (stacks, globals) costs one lookup in the directory. A signal
 * handler that interrupts the recorder cannot count; its accesses are deferred until the recorder
 * is left (accesses_defer).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/event/event.h"
#include "libmemusage/hooks/access_count.h"

/* access_slow -- count an access when the hook cannot be entered in the usual way.
 *
 * Async-signal-safe.
 */
void access_slow(uint64_t address, uint64_t size, bool is_write);

/* access_flush -- count the accesses that signal handlers deferred. */
void access_flush(struct thread *thread);

/* access_note -- count an access to a block. Cost 3 ns. */
INLINE void access_note(const struct access_block *block, uint64_t address, uint64_t size,
			const bool is_write)
{
	struct thread *thread = self;

	if (unlikely(!gate.on) || unlikely(thread->pub.busy)) {
		access_slow(address, size, is_write);
		return;
	}
	thread->pub.busy = hook_mark();
	__asm__ volatile("" ::: "memory");
	if (stop_asked())
		hook_wait(thread);
	accesses_count(&thread->access, block, address, size, is_write);
	hook_leave(thread);
	if (unlikely(thread->access.deferred))
		access_flush(thread);
}

/* access_hook -- count a read or a write of `size` bytes. Cost 1 ns outside blocks. */
INLINE void access_hook(const volatile void *place, uint64_t size, const bool is_write)
{
	const struct access_block *block = accesses_find((uint64_t)place);

	if (block)
		access_note(block, (uint64_t)place, size, is_write);
}

/* access_range -- likewise for any number of bytes, not inlined. Does nothing for size 0. */
void access_range(const volatile void *place, uint64_t size, bool is_write);
