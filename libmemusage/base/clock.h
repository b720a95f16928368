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
 * Cost 20 ns for CLOCK_MONOTONIC; a system call for those of the processor's time.
 */
uint64_t clock_ns(clockid_t clock);

/* clock_kernel_ns -- return the time of a clock by a system call, nanoseconds.
 *
 * otherwise  is returned in a sandbox, which may forbid the call, and if the call fails.
 * Calls no code of the process, so that it may also run beside an emulator (emulated_event.h).
 * Async-signal-safe; errno is kept.
 */
uint64_t clock_kernel_ns(clockid_t clock, uint64_t otherwise);
