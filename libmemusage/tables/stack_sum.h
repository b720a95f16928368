/* stack_sum.h -- the sum of the depths of all stacks, for snapshots (--stacks=yes).
 *
 * A thread's depth is known at each of its events and at each signal of its timer, and counts as
 * constant between them. The kernel tells afterwards how deep the stack was in between: the next
 * snapshot has that.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "libmemusage/image/thread.h"

/* stack_sum_note -- note that the calling thread's stack pointer is SP.
 *
 * Takes a peak snapshot if the stack is about to fall from one, and advances the byte clock. Does
 * nothing on another stack than the thread's own. Call inside the hook, with MODE_DEPTH.
 * Async-signal-safe. Costs some ns.
 */
void stack_sum_note(struct thread *thread, uint64_t sp);

/* stack_sum_now -- return the sum over all threads. */
int64_t stack_sum_now(void);

/* stack_sum_unseen -- return how much deeper the calling thread's stack was than now, unseen.
 *
 * Returns the most bytes since the last snapshot, 0 if an event saw that depth. Async-signal-safe.
 * Costs 1 us per MiB of stack.
 */
int64_t stack_sum_unseen(void);

/* stack_sum_end_thread -- remove the depth of a thread that has ended. */
void stack_sum_end_thread(struct thread *thread);
