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

/* depths_note -- the calling thread's stack pointer is SP. Inside the hook, with MODE_DEPTH.
 *
 * Takes a peak snapshot if the stack is about to fall from one, moves the byte clock. Nothing
 * happens on another stack than the thread's own. Async-signal-safe. Cost some ns.
 */
void depths_note(struct thread *thread, uint64_t sp);

/* depths_now -- the sum over all threads. */
int64_t depths_now(void);

/* depths_unseen -- bytes by which the calling thread's stack was deeper than it is now, without
 * anybody seeing it, since the last snapshot. Cost 1 us per MiB of stack. */
int64_t depths_unseen(void);

/* depths_end -- a thread has ended. */
void depths_end(struct thread *thread);

#endif
