/* number.h -- Numbers of a recording, which may be damaged.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <time.h>

/* positive_or_zero -- Returns a number that is never negative if it is right; else nothing. */
static inline uint64_t positive_or_zero(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

/* wrapping_sum -- Returns the sum of two numbers that may be anything; it wraps around. */
static inline int64_t wrapping_sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* wrapping_difference -- Returns the first number less the second, likewise. */
static inline int64_t wrapping_difference(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* timespec_to_ns -- Returns a time in nanoseconds. */
static inline uint64_t timespec_to_ns(struct timespec t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
