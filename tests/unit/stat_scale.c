/* stat_scale.c -- the fast scale gives the pixel that exact division gives, and never overflows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/scale.h"

#include "tests/lib/tap.h"

static unsigned exact(uint64_t value, unsigned pixels, uint64_t maximum)
{
	if (maximum == 0)
		return 0;
	if (value > maximum)
		value = maximum;
	return (unsigned)((unsigned __int128)value * pixels / maximum);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Values at and beside the border of every pixel, where rounding would show. */
static unsigned count_wrong(uint64_t maximum, unsigned pixels)
{
	struct scale s;
	unsigned wrong = 0;

	scale_init(&s, maximum, pixels);
	for (unsigned p = 0; p <= pixels; p++) {
		unsigned __int128 product = (unsigned __int128)p * maximum;
		uint64_t border = (uint64_t)((product + pixels - 1) / pixels);

		for (int d = -2; d <= 2; d++) {
			uint64_t value = border + (uint64_t)(int64_t)d;

			wrong += scale_pixel(&s, value) != exact(value, pixels, maximum);
		}
	}
	return wrong;
}

static void test_borders(void)
{
	static const uint64_t maxima[] = {
		0, 1, 2, 3, 7, 559, 560, 561, 1000, 1 << 20, 2977792, UINT64_C(1) << 32,
		UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1, UINT64_C(999999999999999989),
		UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX,
	};
	static const unsigned pixels[] = { 1, 2, 20, 40, 560, 720, 1000, 32767 };

	for (size_t i = 0; i < sizeof(maxima) / sizeof(*maxima); i++) {
		unsigned wrong = 0;

		for (size_t k = 0; k < sizeof(pixels) / sizeof(*pixels); k++)
			wrong += count_wrong(maxima[i], pixels[k]);
		OK(wrong == 0, "maximum %llu: %u wrong", (unsigned long long)maxima[i], wrong);
	}
}

static void test_random(void)
{
	uint64_t seed = 88172645463325252u;
	unsigned wrong = 0;

	for (int i = 0; i < 2000; i++) {
		uint64_t maximum = next_random(&seed) >> (next_random(&seed) % 64);
		unsigned pixels = 1 + (unsigned)(next_random(&seed) % 32767);
		struct scale s;

		scale_init(&s, maximum, pixels);
		for (int k = 0; k < 500; k++) {
			uint64_t value = maximum ? next_random(&seed) % maximum : 5;

			wrong += scale_pixel(&s, value) != exact(value, pixels, maximum);
		}
	}
	EQ_U(wrong, 0);
}

static void test_divide(void)
{
	EQ_U(scale_divide(7, 3, 2), 10);
	EQ_U(scale_divide(UINT64_MAX, 1000, UINT64_MAX), 1000);
	EQ_U(scale_divide(UINT64_MAX - 1, 1000, UINT64_MAX), 999);
}

int main(void)
{
	test_borders();
	test_random();
	test_divide();
	return done_testing();
}
