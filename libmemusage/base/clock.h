/* clock.h -- reading clocks without libc.
 *
 * libc's clock_gettime() is a name that the program may define itself (libfaketime does), sets
 * errno, and may use vector registers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/sandbox.h"

/* clock_init -- find the function that the kernel maps into each process (vDSO).
 *
 * Call it from the constructor; a forked child has the function at the same address. Without it
 * (emulators) each reading is a system call.
 * Source  vdso(7): the names of the function on each processor.
 */
void clock_init(void);

/* clock_ns -- return the time of a clock, nanoseconds; 0 if the kernel does not have the clock.
 *
 * Async-signal-safe; errno is kept. Uses general registers only, as the kernel's own code does.
 * In a sandbox where no clock can be read it is what clock_forbid() was given.
 * Cost 20 ns for CLOCK_MONOTONIC; a system call for those of the processor's time.
 */
uint64_t clock_ns(clockid_t clock);

/* clock_forbid -- prepare for a sandbox in which sandbox.has_no_clock is set.
 *
 * tick           milliseconds that another process counts; NULL: the time stands still.
 * tick_begin_ns  CLOCK_MONOTONIC when they were 0.
 * Call while the clocks can be read, before the sandbox is on. Async-signal-safe.
 */
void clock_forbid(const uint64_t *tick, uint64_t tick_begin_ns);

/* clock_begin_without_ticks -- note that the time stamp counter may not be read from the start.
 *
 * Source  prctl(2), PR_SET_TSC: it outlives an exec. Call before clock_init().
 */
void clock_begin_without_ticks(void);

/* clock_estimate_ticks -- what clock_ticks() returns without the counter: from the time. */
uint64_t clock_estimate_ticks(void);

/* clock_ticks -- return the time stamp counter, or an estimate where reading it may kill.
 *
 * Async-signal-safe. Cost as cpu_ticks().
 */
static inline uint64_t clock_ticks(void)
{
	return likely(!sandbox.has_no_clock) ? cpu_ticks() : clock_estimate_ticks();
}

/* clock_kernel_ns -- return the time of a clock by a system call, nanoseconds.
 *
 * otherwise  is returned in a sandbox, which may forbid the call, and if the call fails.
 * Calls no code of the process, so that it may also run beside an emulator (emulated_event.h).
 * Async-signal-safe; errno is kept.
 */
uint64_t clock_kernel_ns(clockid_t clock, uint64_t otherwise);
