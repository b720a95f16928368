/* moment.h -- When a snapshot was taken.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A time in the unit chosen, and the byte clock, which orders equal times: thousands of events may
 * share a millisecond. If the byte clock is the unit, both are the same. */
struct moment {
	uint64_t time;
	uint64_t clock;
};

/* moment_is_earlier -- Tells whether A is before B. */
static inline bool moment_is_earlier(struct moment a, struct moment b)
{
	return a.time != b.time ? a.time < b.time : a.clock < b.clock;
}
