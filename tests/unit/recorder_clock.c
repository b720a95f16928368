/* recorder_clock.c -- the recorder's clocks are the kernel's, with its mapped function and without,
 * and errno stays as it was.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/clock.h"

#include <errno.h>

#include "tests/lib/tap.h"

static uint64_t system_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void test_clocks(void)
{
	static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_BOOTTIME,
					    CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID };

	for (unsigned i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		uint64_t before = system_ns(clocks[i]);
		uint64_t now = clock_ns(clocks[i]);
		OK(before > 0, "clock %d is there", (int)clocks[i]);
		IN_U(now, before, system_ns(clocks[i]));
	}
	errno = 77;
	EQ_U(clock_ns(1000), 0);
	EQ_I(errno, 77);
}

int main(void)
{
	test_clocks();
	clock_init();
	test_clocks();
	return done_testing();
}
