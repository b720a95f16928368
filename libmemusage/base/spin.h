/* spin.h -- a lock that can be given up waiting for.
 *
 * It is held only inside the hook and for a few instructions, so a waiter spins a moment. But a
 * holder can vanish (a signal handler that leaves by longjmp, asynchronous cancellation): so the
 * wait is bounded, and the caller then drops and counts what it wanted to do. All locks are in
 * locks.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/sys.h"

#define SPIN_BROKEN 2	   /* its holder did not come back: no thread waits for it again */
#define SPIN_PAUSES 200    /* before the first sched_yield() */
#define SPIN_YIELDS 400000 /* 100 ms at least: a virtual CPU was once away for 100,000 */

/* spin_backoff -- wait a little in a loop that waits for another thread.
 *
 * turn  how often the caller has waited already.
 * Returns false after the bound: the other thread is then believed to be gone.
 */
static inline bool spin_backoff(unsigned int turn)
{
	if (turn < SPIN_PAUSES)
		cpu_pause();
	else
		sys_yield();
	return turn < SPIN_PAUSES + SPIN_YIELDS;
}

/* spin_try -- take the lock if it is free now. */
static inline bool spin_try(uint32_t *lock)
{
	uint32_t expected = 0;

	return __atomic_compare_exchange_n(lock, &expected, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* spin_lock -- take the lock.
 *
 * Returns false if it was not free within the bound. From then on it returns false immediately,
 * until the holder unlocks it after all.
 */
static inline bool spin_lock(uint32_t *lock)
{
	uint32_t held = 1;

	for (unsigned int turn = 0; !spin_try(lock); turn++) {
		if (__atomic_load_n(lock, __ATOMIC_RELAXED) == SPIN_BROKEN)
			return false;
		if (!spin_backoff(turn)) {
			__atomic_compare_exchange_n(lock, &held, SPIN_BROKEN, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
			return false;
		}
	}
	return true;
}

/* spin_unlock -- give the lock back. */
static inline void spin_unlock(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}
