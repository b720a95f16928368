/* coarse_clock.h -- the coarse clock of a segment, in milliseconds.
 *
 * The collector advances it, and so do threads that have many events with call stacks (recall.c): a
 * collector that wakes every millisecond costs 2 % of a virtual CPU. With samples every event that
 * is recorded advances it, and nothing else needs it.
 *
 * The clock rests while no thread has an event (docs/format.md, 6.1). Each thread's
 * pending flag is then set (pending_request.h), so that its next event takes the slow path, which
 * resumes the clock. This adds nothing to the fast paths.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "libmemusage/image/recorder.h"

/* coarse_clock_advance -- set the clock to the present time, unless it is there or ahead.
 *
 * Returns its value, milliseconds. Async-signal-safe; no system call where the vDSO has the time.
 * Cost 50 ns.
 */
uint64_t coarse_clock_advance(void);

/* coarse_clock_resume -- set a clock that rested, and have the collector advance it again.
 *
 * In a sandbox the collector notices it without being woken, within 100 ms. Async-signal-safe.
 */
void coarse_clock_resume(void);

/* coarse_clock_ns -- return its time, nanoseconds of CLOCK_MONOTONIC. Async-signal-safe. */
static inline uint64_t coarse_clock_ns(void)
{
	return rec.segment->start_mono_ns +
	       __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED) * 1000000;
}

/* coarse_clock_check -- resume the clock if it rests. For events on the slow path. */
static inline void coarse_clock_check(void)
{
	if (unlikely(__atomic_load_n(&rec.segment->tick_rests, __ATOMIC_SEQ_CST)))
		coarse_clock_resume();
}
