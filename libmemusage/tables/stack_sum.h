/* stack_sum.h -- how deep all stacks are right now, for snapshots (--stacks=yes).
 *
 * A thread's depth is known at each of its events and at each tick of its timer; between them it
 * is taken to stand. What the stack reached unseen in between is known from the kernel,
 * afterwards, and shown in the next snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_STACK_SUM_H
#define LIBMEMUSAGE_TABLES_STACK_SUM_H

#include <stdint.h>

#include "libmemusage/image/thread.h"

/* stack_sum_note -- the calling thread's stack pointer is SP. Inside the hook, with MODE_DEPTH.
 *
 * Takes a peak snapshot if the stack is about to fall from one, moves the byte clock. Nothing
 * happens on another stack than the thread's own. Async-signal-safe. Cost some ns.
 */
void stack_sum_note(struct thread *thread, uint64_t sp);

/* stack_sum_now -- the sum over all threads. */
int64_t stack_sum_now(void);

/* stack_sum_unseen -- bytes by which the calling thread's stack was deeper than it is now, without
 * anybody seeing it, since the last snapshot. Cost 1 us per MiB of stack. */
int64_t stack_sum_unseen(void);

/* stack_sum_end_thread -- a thread has ended. */
void stack_sum_end_thread(struct thread *thread);

#endif
