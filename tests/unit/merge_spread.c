/* merge_spread.c -- Least, median, most and outliers of processes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_spread.h"

#include "tests/lib/tap.h"

enum { MOST = 16 };

struct spread_case {
	const char *what;
	uint32_t count;
	int64_t value[MOST];
	uint32_t group[MOST];
	uint32_t with;
	int64_t least, median, most;
	uint32_t outliers, first;
};

#define NONE MERGE_SPREAD_NONE

static const struct spread_case cases[] = {
	{ "nothing", 0, { 0 }, { 0 }, 0, 0, 0, 0, 0, 0 },
	{ "one", 1, { 7 }, { 0 }, 1, 7, 7, 7, 0, 0 },
	{ "two", 2, { 7, 9 }, { 0 }, 2, 7, 8, 9, 0, 0 },
	{ "three have no outlier", 3, { 1, 1, 1000 }, { 0 }, 3, 1, 1, 1000, 0, 0 },
	{ "four equal ones but one", 4, { 100, 100, 100, 102 }, { 0 }, 4, 100, 100, 102, 1, 3 },
	{ "within a hundredth", 4, { 100, 100, 100, 101 }, { 0 }, 4, 100, 100, 101, 0, 0 },
	/* Median 50, distances 0 10 10 20 20: 5.189 * 10 from there. */
	{ "just within 5.189", 5, { 30, 40, 50, 60, 101 }, { 0 }, 5, 30, 50, 101, 0, 0 },
	{ "just beyond 5.189", 5, { 30, 40, 50, 60, 102 }, { 0 }, 5, 30, 50, 102, 1, 4 },
	{ "low ones too, farthest first", 6, { 50, 50, 50, 50, 10, 100 }, { 0 }, 6, 10, 50, 100,
	  2, 5 },
	{ "none of the others have it", 6, { 0, 5, 0, 0, 0, 0 }, { 0 }, 1, 5, 5, 5, 0, 0 },
	{ "half have it, so zeros count", 4, { 0, 5, 0, 5 }, { 0 }, 2, 0, 2, 5, 0, 0 },
	{ "who lacks it is an outlier", 5, { 8, 8, 0, 8, 8 }, { 0 }, 4, 0, 8, 8, 1, 2 },
	{ "of each program", 8, { 10, 10, 10, 10, 900, 900, 900, 90 }, { 1, 1, 1, 1, 2, 2, 2, 2 },
	  8, 10, 50, 900, 1, 7 },
	{ "not compared", 5, { 8, 8, 8, 8, 99 }, { 1, 1, 1, 1, NONE }, 4, 8, 8, 8, 0, 0 },
	{ "negative and large", 5, { INT64_MIN / 2, 1, 1, 1, INT64_MAX / 4 }, { 0 }, 5,
	  INT64_MIN / 2, 1, INT64_MAX / 4, 2, 0 },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct spread_case *c = &cases[i];
		struct merge_spread s;

		merge_spread_compute(&s, c->value, c->group, c->count);
		diag("%s", c->what);
		EQ_U(s.with, c->with);
		EQ_U(s.least == c->least && s.median == c->median && s.most == c->most, 1);
		EQ_U(s.outliers, c->outliers);
		EQ_U(s.outlier[0], c->first);
	}
	return done_testing();
}
