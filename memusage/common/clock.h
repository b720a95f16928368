/* clock.h -- The current time of the clocks that recordings use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* clock_now -- Returns the time of CLOCK in nanoseconds. */
uint64_t clock_now(clockid_t clock);

/* clock_tsc -- Returns the time stamp counter, or 0 if the processor has none. */
uint64_t clock_tsc(void);

/* clock_tsc_is_good -- Tells whether the time stamp counter can serve as a clock: it runs at one
 * rate on all processors, and the kernel itself uses it as its clock source. */
bool clock_tsc_is_good(void);

/* clock_pair -- Reads both clocks at one moment, usually to within a microsecond. */
void clock_pair(uint64_t *tsc, uint64_t *mono_ns);
