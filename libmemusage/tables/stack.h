/* stack.h -- bounds, depth and high-water mark of each thread's stack.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "libmemusage/image/thread.h"

/* stack_find -- set base and size of the calling thread's stack.
 *
 * base  address from which depth counts, if the caller knows it (start of the thread), else 0: then
 *       it is found by the kernel's or libc's data.
 * size  bytes, 0 if unknown. Async-signal-safe.
 */
void stack_find(struct thread *thread, uint64_t base, uint64_t size);

/* stack_deeper -- note a new greatest depth, if it is on this thread's stack. */
void stack_deeper(struct thread *thread, uint64_t depth);

/* stack_mark -- ask the kernel for the lowest page of its stack that the thread ever touched.
 *
 * Sets pub.stack_mark, to a page. Call in the thread itself, before libc frees the stack. Costs
 * about 1 us per MiB of stack in use. Async-signal-safe.
 * Source  mincore(2); measured exact to a page, docs/design.md.
 */
void stack_mark(struct thread *thread);

/* stack_note -- note the depth of an event or sample at stack pointer sp.
 *
 * Returns the depth in bytes; meaningless (huge) on another stack. Async-signal-safe.
 */
static inline uint64_t stack_note(struct thread *thread, uint64_t sp)
{
	uint64_t depth = thread->pub.stack_base - sp;

	if (unlikely(depth > thread->pub.stack_peak))
		stack_deeper(thread, depth);
	return depth;
}
