/* budget_rank_test.c -- The rank sum test has the p of published tables.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/rank_test.h"

#include <math.h>

#include "tests/lib/tap.h"

enum { MOST = 40 };

static bool is_near(double p, double expected)
{
	return fabs(p - expected) < 0.0005;
}

/* Without equal figures p is 2 of all (n + m)! / n! m! ways if no figure of one group is between
 * those of the other. */
static void check_separate_groups(void)
{
	const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 11, 12, 13, 14, 15 };

	OK(is_near(rank_test_p(low, 3, high, 3), 0.1), "three of three");
	OK(is_near(rank_test_p(low, 4, high, 4), 2.0 / 70), "four of four");
	OK(is_near(rank_test_p(low, 5, high, 5), 2.0 / 252), "five of five");
	OK(is_near(rank_test_p(high, 5, low, 5), 2.0 / 252), "... the other way round");
	OK(is_near(rank_test_p(low, 1, high, 1), 1), "one of one");
}

/* U is 3: 1 + 1 + 2 + 3 of the 126 ways have no more, as in published tables, on either side. */
static void check_mixed_groups(void)
{
	const double x[] = { 1.1, 2.2, 3.3, 4.4 }, y[] = { 2.5, 3.6, 4.7, 5.8, 6.9 };

	OK(is_near(rank_test_p(x, 4, y, 5), 14.0 / 126), "mixed groups");
	OK(is_near(rank_test_p(y, 5, x, 4), 14.0 / 126), "... the other way round");
}

static void check_equal_figures(void)
{
	const double same[] = { 7, 7, 7 }, other[] = { 7, 7, 8 };

	OK(rank_test_p(same, 3, same, 3) == 1, "all are equal");
	/* One of six figures is larger: it is in either group by chance. */
	OK(is_near(rank_test_p(same, 3, other, 3), 1), "one differs");
	OK(rank_test_p(same, 0, other, 3) == 1, "an empty group");
}

static void check_many(void)
{
	double x[MOST], y[MOST];

	for (int i = 0; i < MOST; i++) {
		x[i] = 2 * i;
		y[i] = 2 * i + 1;
	}
	OK(rank_test_p(x, MOST, y, MOST) > 0.8, "many figures, approximated");
	OK(rank_test_p(x, 30, y, 30) > 0.8, "... and counted");
	for (int i = 0; i < MOST; i++)
		y[i] += 100;
	OK(rank_test_p(x, MOST, y, MOST) < 1e-9, "two groups apart, approximated");
	OK(rank_test_p(x, 30, y, 30) < 1e-9, "... and counted");
	/* Both ways agree where they meet. */
	for (int i = 0; i < MOST; i++)
		y[i] = 2 * i + 21;
	OK(fabs(rank_test_p(x, 30, y, 30) - rank_test_p(x, 31, y, 30)) < 0.02,
	   "both ways agree where they meet");
}

int main(void)
{
	check_separate_groups();
	check_mixed_groups();
	check_equal_figures();
	check_many();
	return done_testing();
}
