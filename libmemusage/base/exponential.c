/* exponential.c -- the exponential function and its distribution, in integers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/exponential.h"

#define ONE (UINT64_C(1) << EXPONENTIAL_ONE_BITS)
#define HALVINGS 4u	/* of the argument, before the series */
#define SERIES_TERMS 8u
#define LN2 UINT64_C(3196577161300663915) /* in units of 2^-62 */

/* The product of two numbers in units of 2^-62. */
static uint64_t scaled_product(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> EXPONENTIAL_ONE_BITS);
}

/* 1 - exp(-x) = x (1 - x/2 (1 - x/3 (1 - ...))) for small x, and by 1 - (1 - y)^2 = y (2 - y) of
 * twice the argument. Neither loses precision where the result is small. */
uint64_t exponential_below(uint64_t x)
{
	uint64_t sum = ONE; /* x in 2^-58 is x / 16 in 2^-62 */

	for (uint64_t i = SERIES_TERMS; i > 1; i--)
		sum = ONE - scaled_product(x / i, sum);
	uint64_t below = scaled_product(x, sum);
	for (unsigned int i = 0; i < HALVINGS; i++)
		below = scaled_product(below, 2 * ONE - below);
	return below;
}

/* ln(m) of m from 1 to 2, in units of 2^-62, by ln((1+z)/(1-z)) = 2 (z + z^3/3 + z^5/5 ...) with
 * z at most 1/3. m is in units of 2^-32. */
static uint64_t logarithm_of_mantissa(uint64_t m)
{
	const uint64_t one = UINT64_C(1) << 32;
	uint64_t z = ((m - one) << 31) / ((m + one) >> 1) << 30;
	uint64_t square = scaled_product(z, z), sum = 0;

	for (uint64_t i = 15; i > 1; i -= 2)
		sum = scaled_product(square, ONE / i + sum);
	return 2 * scaled_product(z, ONE + sum);
}

/* -ln(u) for u = (random's highest 53 bits + 1/2) / 2^53. */
uint64_t exponential_interval(uint64_t random, unsigned int mean_log2)
{
	uint64_t u = random >> 11 << 1 | 1; /* in units of 2^-54, odd */
	/* u is from 2^-zeros / 2 to 2^-zeros; the mantissa from 1 to 2, in units of 2^-32 */
	unsigned int zeros = (unsigned int)__builtin_clzll(u) - 10;
	uint64_t mantissa = u << (zeros + 10) >> 31;
	uint64_t low = logarithm_of_mantissa(mantissa);

	/* zeros ln 2 + ln 2 - ln(mantissa), the last two of which are positive together */
	unsigned __int128 sum = (unsigned __int128)LN2 * zeros + (LN2 - low);
	return (uint64_t)(sum << mean_log2 >> EXPONENTIAL_ONE_BITS);
}
