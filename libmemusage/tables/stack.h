/* stack.h -- how deep each thread's stack is and was.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_STACK_H
#define LIBMEMUSAGE_TABLES_STACK_H

#include <stdint.h>

#include "libmemusage/image/thread.h"

/* stack_find -- set base and size of the calling thread's stack.
 *
 * base  address from which depth counts if the caller knows it (start of the thread),
 *       else 0: then it is found from the kernel's or libc's account of the stack.
 * size  bytes, 0 if unknown. Async-signal-safe.
 */
void stack_find(struct thread *thread, uint64_t base, uint64_t size);

/* stack_deeper -- a new depth: note it unless it is not on this thread's stack. */
void stack_deeper(struct thread *thread, uint64_t depth);

/* stack_mark -- ask the kernel for the lowest page of its stack the thread ever touched.
 *
 * Sets pub.stack_mark, page-granular. Call in the thread itself, before libc gives the
 * stack back. Cost about 1 us per MiB of stack in use. Async-signal-safe.
 * Source  mincore(2); measured exact to a page, docs/design.md.
 */
void stack_mark(struct thread *thread);

/* stack_note -- an event or sample at stack pointer sp.
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

#endif
