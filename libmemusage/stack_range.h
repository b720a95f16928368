/* stack_range.h -- the bounds of whatever stack an address is on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_STACK_RANGE_H
#define LIBMEMUSAGE_STACK_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/thread.h"
#include "libmemusage/walk.h"

/* stack_range_find -- memory that may be read while unwinding from `address` outward.
 *
 * walk   low and high are set: to the thread's stack, or if the address is on another one
 *        (signal stack, coroutine) to the mapping that it is in.
 * Returns false if nothing is known about it: no stack is taken then.
 * Async-signal-safe. Cost 20 ns on the thread's own stack; some 10 us elsewhere, once per
 * change of stack.
 */
bool stack_range_find(const struct thread *thread, struct walk *walk, uint64_t address);

/* stack_range_own -- whether eight bytes lie in the thread's own stack. */
bool stack_range_own(const struct thread *thread, uint64_t address);

#endif
