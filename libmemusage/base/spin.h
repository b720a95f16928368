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

#define SPIN_BROKEN 2	   /* its holder did not come back: no thread waits for it again */
#define SPIN_PAUSES 200    /* before the first sched_yield() */
#define SPIN_YIELDS 400000 /* 100 ms at least: a virtual CPU was once away for 100,000 */

/* On a busy machine a yield takes as long as the others' time slices, and 400,000 of them hours. So
 * a yield counts once more for each 25 us: the bound is 10 s then. But no yield counts for more
 * than 100 ms, so there are 100: the process may have been stopped meanwhile, or the machine. */
#define SPIN_YIELD_NS 25000u
#define SPIN_TURNS_MAX 4000u

/* Each of so many short yields is a sleep instead. */
#define SPIN_SLEEP_AFTER 256u
#define SPIN_SLEEP_NS 50000

/* spin_turns -- return how many short yields one counts as that took so many nanoseconds. */
static inline unsigned int spin_turns(uint64_t yield_ns)
{
	uint64_t turns = 1 + yield_ns / SPIN_YIELD_NS;

	return turns < SPIN_TURNS_MAX ? (unsigned int)turns : SPIN_TURNS_MAX;
}

/* spin_yield -- let others run, and return how many short yields that counts as.
 *
 * turn  how long the caller has waited already.
 * Async-signal-safe.
 */
unsigned int spin_yield(unsigned int turn);

/* spin_backoff -- wait a little in a loop that waits for another thread.
 *
 * turn  how long the caller has waited already, 0 at first; grows.
 * Returns false after the bound: the other thread is then believed to be gone.
 */
static inline bool spin_backoff(unsigned int *turn)
{
	if (*turn < SPIN_PAUSES) {
		cpu_pause();
		++*turn;
	} else {
		*turn += spin_yield(*turn);
	}
	return *turn <= SPIN_PAUSES + SPIN_YIELDS;
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

	for (unsigned int turn = 0; !spin_try(lock);) {
		if (__atomic_load_n(lock, __ATOMIC_RELAXED) == SPIN_BROKEN)
			return false;
		if (!spin_backoff(&turn)) {
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
