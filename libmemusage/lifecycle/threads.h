/* threads.h -- attaching records to threads, and retiring them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "libmemusage/image/thread.h"

/* thread_attach -- give the calling thread a record and make it `self`.
 *
 * prepared  a record from thread_prepare(), or NULL to take a new one.
 * Returns   the record, NULL if there is none (counted).
 * Async-signal-safe. Cost about 5 us.
 */
struct thread *thread_attach(struct thread *prepared);

/* thread_prepare -- take a record for a thread that is about to be made.
 *
 * Returns it in state LIVE without a tid, or NULL. Pass it to thread_attach() in the new
 * thread or to thread_discard(). Async-signal-safe.
 */
struct thread *thread_prepare(void);

/* thread_discard -- give back a record whose thread was never made. Async-signal-safe. */
void thread_discard(struct thread *thread);

/* thread_switch_to_many -- record with several threads, before a second one has an event.
 *
 * Waits until no thread is inside an unlocked section. Idempotent. Async-signal-safe.
 */
void thread_switch_to_many(void);

/* thread_keep_only_self -- in a forked child: retire the records of all other threads.
 *
 * Their counters are added to mu_image.retired. Async-signal-safe.
 */
void thread_keep_only_self(void);

/* thread_key_init -- make the key whose destructor notices the end of a thread. Idempotent.
 *
 * Call it from the constructor and, if libpthread is loaded later, before the first thread. Without
 * libpthread, or a free key, the kernel is asked when a record is needed. Not async-signal-safe.
 */
void thread_key_init(void);
