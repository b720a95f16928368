/* coarse_clock.h -- the coarse clock of a segment, in milliseconds.
 *
 * The collector moves it, and so do threads that have many events with call stacks (recall.c): to
 * wake every millisecond cost 2 % of a CPU, on a virtual one.
 *
 * While nobody has an event nobody needs it, and it rests (docs/format.md, 6.1). Every thread then
 * holds a knock, so that its next event takes the slow way, and that comes here: nothing is added
 * to the quick ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_IMAGE_COARSE_CLOCK_H
#define LIBMEMUSAGE_IMAGE_COARSE_CLOCK_H

#include "libmemusage/image/recorder.h"

/* coarse_clock_advance -- put the tick to what the time is, unless it is there, or beyond.
 *
 * Returns what it is now. Async-signal-safe; no system call where the kernel's vdso knows the
 * time. Cost 50 ns.
 */
uint64_t coarse_clock_advance(void);

/* coarse_clock_resume -- set a clock that rested, and have the collector advance it again.
 *
 * In a sandbox the collector notices by itself, within a tenth of a second. Async-signal-safe.
 */
void coarse_clock_resume(void);

/* coarse_clock_ns -- its time, in nanoseconds of CLOCK_MONOTONIC, without a system call.
 *
 * Async-signal-safe.
 */
static inline uint64_t coarse_clock_ns(void)
{
	return rec.segment->start_mono_ns +
	       __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED) * 1000000;
}

/* coarse_clock_check -- before an event on the slow way: should the tick rest, it goes on. */
static inline void coarse_clock_check(void)
{
	if (unlikely(__atomic_load_n(&rec.segment->tick_rests, __ATOMIC_SEQ_CST)))
		coarse_clock_resume();
}

#endif
