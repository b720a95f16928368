/* spin.c -- a yield, and how much of the time that a thread waits at most it took.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/spin.h"

#include <stddef.h>
#include <time.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/sys.h"

/* The emulator's plugin has libc's clock, and not the recorder's. In a sandbox there is no time,
 * and a yield is no call of the kernel. */
static uint64_t now_ns(void)
{
#ifdef MU_IN_EMULATOR
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#else
	return clock_kernel_ns(CLOCK_MONOTONIC, 0);
#endif
}

/* A yield lets no thread of a lower priority run: neither from SCHED_FIFO, nor much of SCHED_IDLE
 * from any other policy. If such a one holds the lock on the waiter's CPU, only sleep helps. */
static void sleep_or_yield(unsigned int turn)
{
	const struct timespec time = { .tv_nsec = SPIN_SLEEP_NS };

	if (turn % SPIN_SLEEP_AFTER == 0 && !sandbox.is_on)
		SYS2(SYS_nanosleep, &time, NULL);
	else
		sys_yield();
}

unsigned int spin_yield(unsigned int turn)
{
	uint64_t begin_ns = now_ns(), end_ns;

	sleep_or_yield(turn);
	end_ns = now_ns();
	return spin_turns(end_ns > begin_ns ? end_ns - begin_ns : 0);
}
