/* clock.c -- The current time of the clocks that recordings use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/clock.h"

#include <string.h>

#include "profile/base/file.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

uint64_t clock_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t clock_tsc(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/* Source Intel SDM, CPUID leaf 80000007H: EDX bit 8, invariant TSC. */
static bool is_invariant(void)
{
#ifdef __x86_64__
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#else
	return false;
#endif
}

/* The kernel stops using a counter that it has found to be unstable. */
bool clock_tsc_is_good(void)
{
	char source[32];

	if (!is_invariant())
		return false;
	file_read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
		       sizeof(source));
	return strcmp(source, "tsc\n") == 0 || strcmp(source, "kvm-clock\n") == 0;
}

/* The scheduler may suspend us for milliseconds between two readings: keep the fastest of four
 * tries. */
void clock_pair(uint64_t *tsc, uint64_t *mono_ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 4 && best > 5000; i++) {
		uint64_t before = clock_tsc();
		uint64_t ns = clock_now(CLOCK_MONOTONIC);
		uint64_t after = clock_tsc();

		if (after - before >= best)
			continue;
		best = after - before;
		*tsc = before + best / 2;
		*mono_ns = ns;
	}
}
