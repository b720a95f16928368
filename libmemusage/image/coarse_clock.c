/* coarse_clock.c -- the coarse clock of a segment.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/coarse_clock.h"

#include <time.h>

#include "libmemusage/base/clock.h"

uint64_t coarse_clock_advance(void)
{
	struct mu_segment *segment = rec.segment;
	uint64_t last = __atomic_load_n(&segment->tick, __ATOMIC_RELAXED);
	uint64_t ns = clock_ns(CLOCK_MONOTONIC);
	/* The clock of a time namespace may be behind. */
	if (ns < segment->start_mono_ns)
		return last;
	uint64_t tick = (ns - segment->start_mono_ns) / 1000000;
	while (last < tick && !__atomic_compare_exchange_n(&segment->tick, &last, tick, true,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return last < tick ? tick : last;
}

void coarse_clock_resume(void)
{
	coarse_clock_advance();
	if (__atomic_exchange_n(&rec.segment->tick_rests, 0, __ATOMIC_SEQ_CST))
		recorder_wake();
}
