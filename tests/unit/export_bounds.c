/* export_bounds.c -- bounds of estimates are written in the unit of the estimate.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/bounds.h"

#include "tests/lib/tap.h"

#define MIB (INT64_C(1) << 20)
#define R 131072.0

/* An error with a half width of HALF bytes, or blocks. */
static struct sampled_error error_of(double samples, double half)
{
	return (struct sampled_error){ .samples = samples, .variance = half * half / 1.96 / 1.96,
				       .block_variance = half * half / 1.96 / 1.96,
				       .is_sampled = true };
}

static void equal_bounds(void)
{
	static const struct {
		int64_t bytes;
		double half;
		const char *want;
	} cases[] = {
		{ 41 * MIB + 200000, 3.1 * (1 << 20), "+- 3.1" },
		{ 41 * MIB + 200000, 3.11 * (1 << 20), "+- 3.2" },
		{ 2 * MIB, 0.214 * (1 << 20), "+- 0.22" },
		{ 512 << 10, 123.4 * 1024, "+- 124" },
		{ 812, 100, "+- 100" },
		{ 900 * MIB, 0.01 * (1 << 20), "+- 1" },
		{ 1024 * MIB - 1000, 51.2 * (1 << 20), "+- 0.05" },
	};
	char text[BOUNDS_LENGTH];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sampled_error e = error_of(100, cases[i].half);

		EQ_S(bounds_bytes(text, &e, cases[i].bytes, R), cases[i].want);
	}
}

static void unequal_bounds(void)
{
	struct sampled_error e = error_of(1, 0);
	char text[BOUNDS_LENGTH];

	EQ_S(bounds_bytes(text, &e, 128 << 10, R), "-125 +586");
	EQ_S(bounds_bytes(text, &e, MIB, R), "-0.98 +4.58");
	EQ_S(bounds_bytes(text, &e, 999 << 10, R), "-974 +4568");
	EQ_S(bounds_blocks(text, &e, 7711), "-7,516 +35,252");
	e = error_of(0, 0);
	e.exact_bytes = 3 * MIB;
	EQ_S(bounds_bytes(text, &e, 3 * MIB, R), "-0.00 +0.47");
	e.exact_bytes = 0;
	EQ_S(bounds_bytes(text, &e, 0, R), "+472 KiB");
	EQ_S(bounds_bytes_text(text, &e, 0, 8 * R), "0 B +3.69 MiB");
	e.exact_bytes = 300;
	EQ_S(bounds_bytes_text(text, &e, 300, R), "300 B +472 KiB");
	EQ_S(bounds_bytes_text(text, &e, 300, 100), "300 B -0 +369");
}

static void others(void)
{
	struct sampled_error e = error_of(50, 300), exact = { .exact_bytes = 70, .exact_blocks = 2 };
	char text[BOUNDS_LENGTH];

	EQ_S(bounds_blocks(text, &e, 4000), "+- 300");
	EQ_S(bounds_bytes(text, &exact, 70, R), "exact");
	EQ_S(bounds_blocks(text, &exact, 2), "exact");
	EQ_S(bounds_bytes_text(text, &exact, 70, R), "70 B");
	EQ_S(bounds_bytes_text(text, &e, 1000, R), "1000 B +- 300");
	e.is_change = true;
	EQ_S(bounds_bytes_text(text, &e, -100, R), "100 B +- 300");
}

int main(void)
{
	equal_bounds();
	unequal_bounds();
	others();
	return done_testing();
}
