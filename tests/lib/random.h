/* random.h -- numbers that look random and are the same in every run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* next_random -- the next of 2^64 - 1 numbers, none of them 0. One thread at a time.
 *
 * Source Marsaglia, "Xorshift RNGs", 2003.
 */
static inline uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}
