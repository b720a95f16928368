/* clock.h -- now, by the clocks that recordings use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_CLOCK_H
#define MEMUSAGE_COMMON_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* clock_now -- CLOCK in nanoseconds. */
uint64_t clock_now(clockid_t clock);

/* clock_tsc -- the time stamp counter, 0 where there is none. */
uint64_t clock_tsc(void);

/* clock_tsc_is_good -- whether the time stamp counter is a clock: it runs at one rate on all
 * processors, and the kernel itself keeps time by it. */
bool clock_tsc_is_good(void);

/* clock_pair -- one moment by both clocks, to within a microsecond if the machine lets us. */
void clock_pair(uint64_t *tsc, uint64_t *mono_ns);

#endif
