/* sigset.h -- sets of signals as the kernel has them, without libc.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The two that glibc reserves (to cancel threads, and for setuid() in all of them): its functions
 * never block them. */
#define SIGSET_LIBC (UINT64_C(3) << 31)

/* sigset_bit -- a signal in the first word of a sigset_t, which is all that the kernel knows.
 *
 * number  1 to 64.
 * Source  rt_sigprocmask(2); <bits/types/__sigset_t.h> of glibc has 16 words.
 */
static inline uint64_t sigset_bit(int number)
{
	return UINT64_C(1) << (number - 1);
}

/* sigset_holds -- return whether the signal is in the set. Async-signal-safe. */
static inline bool sigset_holds(const sigset_t *set, int number)
{
	uint64_t word;

	memcpy(&word, set, sizeof(word));
	return word & sigset_bit(number);
}

/* sigset_store -- store a word as a set. Async-signal-safe. */
static inline void sigset_store(sigset_t *set, uint64_t word)
{
	memset(set, 0, sizeof(*set));
	memcpy(set, &word, sizeof(word));
}

/* sigset_take_out -- remove a signal from a set. Async-signal-safe. */
static inline void sigset_take_out(sigset_t *set, int number)
{
	uint64_t word;

	memcpy(&word, set, sizeof(word));
	word &= ~sigset_bit(number);
	memcpy(set, &word, sizeof(word));
}
