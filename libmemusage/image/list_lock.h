/* list_lock.h -- the lock of ld.so's list of objects.
 *
 * dlclose() frees under this lock, and a callback of dl_iterate_phdr() may allocate under it.
 * fork() does not free it in the child, which would hang in its next dlopen() or
 * dl_iterate_phdr(). If no thread was changing the list, the recorder frees the lock in the child.
 * If one was, the list may be incomplete there. So such a thread does not wait in the recorder
 * while another one forks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* list_lock_init -- find the lock, which has no public name. Call it from recorder_start().
 *
 * It stays unknown in a process without libpthread.so at its start, with glibc before 2.34.
 * Cost: some us.
 */
void list_lock_init(void);

/* list_lock_must_be_freed -- return whether the calling thread holds the lock to change the list.
 *
 * Returns false if the lock is unknown. Async-signal-safe.
 */
bool list_lock_must_be_freed(void);

/* list_lock_forked -- in a forked child: free the lock, unless a thread was changing the list.
 *
 * The list is complete then: the parent's thread that held the lock only read it. Call it before
 * the child has another thread. Async-signal-safe.
 */
void list_lock_forked(void);
