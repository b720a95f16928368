/* exponential.h -- the exponential function and random numbers with its distribution, in integers.
 *
 * The recorder is compiled without vector registers, and so without floating point.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#define EXPONENTIAL_ONE_BITS 62u /* a result of 1 is 1 << 62 */

/* exponential_below -- compute 1 - exp(-x) for 0 <= x < 16.
 *
 * x  in units of 2^-58.
 * Returns it in units of 2^-62. The relative error is below 1e-6. Async-signal-safe. Cost 20 ns.
 */
uint64_t exponential_below(uint64_t x);

/* exponential_interval -- turn a random number into one with an exponential distribution.
 *
 * random     64 random bits; the highest 53 count.
 * mean_log2  the mean is 2^mean_log2, at most 2^40.
 * Returns at most 37 times the mean; the error is below 1e-6 of the mean. Async-signal-safe.
 * Cost 20 ns.
 */
uint64_t exponential_interval(uint64_t random, unsigned int mean_log2);

/* random_next -- advance a generator (xorshift64*).
 *
 * state  not 0; changed.
 * Returns 64 bits, of which the highest are the best. Cost 2 ns.
 * Source  Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled".
 */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * UINT64_C(0x2545F4914F6CDD1D);
}

/* random_mix -- a number all of whose bits depend on all bits of VALUE; for seeds.
 *
 * Source  the finalizer of Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
 */
static inline uint64_t random_mix(uint64_t value)
{
	value += UINT64_C(0x9E3779B97F4A7C15);
	value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
	return value ^ value >> 31;
}
