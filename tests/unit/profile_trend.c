/* profile_trend.c -- verdicts on series of which the truth is known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/trend.h"

#include <string.h>

#include "tests/lib/tap.h"

enum { POINTS = 60, WALKS = 1000 };

static double at[POINTS], value[POINTS];

static enum trend judge(uint32_t count, double total, double noise)
{
	for (uint32_t i = 0; i < count; i++)
		at[i] = i;
	return trend_judge(&(struct trend_series){ .time = at, .value = value, .count = count,
						   .end = count, .total = total, .noise = noise });
}

static uint32_t seed;	/* of next_random() */

static uint32_t next_random(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 16;
}

static void test_statistics(void)
{
	static const double up[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, tied[] = { 1, 1, 2, 2 },
			    down[] = { 4, 3, 2, 1 }, flat[] = { 7, 7, 7 };

	/* S = 28, variance 8 * 7 * 21 / 18. */
	EQ_D(trend_mann_kendall(up, 8), 3.3404, 1e-4);
	/* S = 4, variance (4 * 3 * 13 - 2 * (2 * 1 * 9)) / 18. */
	EQ_D(trend_mann_kendall(tied, 4), 1.1619, 1e-4);
	EQ_D(trend_mann_kendall(down, 4), -1.6984, 1e-4);
	EQ_D(trend_mann_kendall(flat, 3), 0, 0);
	EQ_D(trend_mann_kendall(flat, 0), 0, 0);
	EQ_D(trend_drift(up, 8), 2.4495, 1e-4);
	EQ_D(trend_drift(flat, 3), 0, 0);
}

static void test_grows(void)
{
	for (int i = 0; i < POINTS; i++)
		value[i] = 100 * i;
	EQ_I(judge(POINTS, 6000, 0), TREND_GROWS);
	EQ_I(judge(POINTS, 6000, 1500), TREND_GROWS);
	EQ_I(judge(POINTS, 6000, 3000), TREND_NONE);	/* errors may be as large */
	EQ_I(judge(10, 1000, 0), TREND_GROWS);
	EQ_I(judge(TREND_POINTS_MIN - 1, 6000, 0), TREND_NONE);
	/* Teardown at the end does not count. */
	value[POINTS - 1] = value[POINTS - 2] = 0;
	EQ_I(judge(POINTS, 6000, 0), TREND_GROWS);
	/* Nor does a large step at the beginning. */
	for (int i = 1; i < POINTS; i++)
		value[i] = 6000 + 100 * i;
	EQ_I(judge(POINTS, 12000, 0), TREND_GROWS);
	seed = 1;
	for (int i = 0; i < POINTS; i++)
		value[i] = 20 * i + next_random() % 100;
	EQ_I(judge(POINTS, 1e9, 0), TREND_GROWS);
	for (int i = 0; i < POINTS; i++)
		value[i] = 6000 - 100 * i;
	EQ_I(judge(POINTS, 6000, 0), TREND_NONE);
	/* A cache that lost some, and fills up again to where it was before. */
	for (int i = 0; i < POINTS; i++)
		value[i] = i < 20 ? 250 * i : i < 38 ? 5000 : 4400 + 30 * (i - 38);
	EQ_I(judge(POINTS, 6000, 0), TREND_NONE);
	value[POINTS - 8] = 5050;
	EQ_I(judge(POINTS, 6000, 0), TREND_GROWS);
	for (int i = 0; i < POINTS; i++)
		value[i] = i < 20 ? 250 * i : i < 38 ? 5000 : i < 44 ? 4400 + 80 * (i - 38) : 4880;
	EQ_I(judge(POINTS, 6000, 0), TREND_NONE);
	/* What leaks may have held more at the beginning. */
	for (int i = 0; i < POINTS; i++)
		value[i] = i < 10 ? 6000 : 1000 + 50 * (i - 10);
	EQ_I(judge(POINTS, 6000, 0), TREND_GROWS);
	for (int i = 0; i < POINTS; i++)
		value[i] = i < POINTS * 92 / 100 ? 0 : i;
	EQ_I(judge(POINTS, 6000, 0), TREND_NONE);	/* too young */
}

static void test_settled(void)
{
	for (int i = 0; i < POINTS; i++)
		value[i] = i < 20 ? 100 * i : 2000 + i % 2;
	EQ_I(judge(POINTS, 3000, 0), TREND_SETTLED);
	EQ_I(judge(POINTS, 3000, 5000), TREND_NONE);
	value[POINTS - 1] = 4000;	/* it rises again at the end */
	EQ_I(judge(POINTS, 6000, 0), TREND_NONE);
	/* The last snapshot may be long before the end: nothing was allocated since. */
	for (int i = 0; i < POINTS; i++) {
		at[i] = i;
		value[i] = 100 * i;
	}
	EQ_I(trend_judge(&(struct trend_series){ .time = at, .value = value, .count = POINTS,
						 .end = 1000, .total = 6000 }),
	     TREND_SETTLED);
}

static void test_churns(void)
{
	seed = 3;
	for (int i = 0; i < POINTS; i++)
		value[i] = 100 * (next_random() % 4);
	EQ_I(judge(POINTS, 1e6, 0), TREND_CHURNS);
	EQ_I(judge(POINTS, 2000, 0), TREND_NONE);	/* few blocks, swinging */
	EQ_I(judge(POINTS, 1e6, 1e5), TREND_NONE);
	memset(value, 0, sizeof(value));
	EQ_I(judge(POINTS, 1e6, 0), TREND_NONE);	/* never seen live */
	for (int i = 0; i < POINTS; i++)
		value[i] = 100 * (i % 20);
	EQ_I(judge(POINTS, 3000, 0), TREND_NONE);	/* a saw */
}

/* Rates of "grows" for series that have no trend, over fixed seeds. */
static void test_false_positives(void)
{
	int walks = 0, noises = 0;

	for (uint32_t i = 0; i < WALKS; i++) {
		seed = 7919 * i + 1;
		value[0] = 1e6;
		for (int k = 1; k < POINTS; k++)
			value[k] = value[k - 1] + ((int)(next_random() % 2001) - 1000);
		walks += judge(POINTS, 1e7, 0) == TREND_GROWS;
		for (int k = 0; k < POINTS; k++)
			value[k] = 1e6 + next_random() % 1000;
		noises += judge(POINTS, 1e7, 0) == TREND_GROWS;
	}
	printf("# %d of %d walks and %d of noise grow\n", walks, WALKS, noises);
	OK(walks <= WALKS * 25 / 1000, "a random walk seldom grows");
	OK(noises <= WALKS * 5 / 1000, "noise hardly ever grows");
}

static void test_words(void)
{
	EQ_S(trend_name(TREND_GROWS), "grows");
	EQ_S(trend_text(TREND_GROWS), "still growing");
	EQ_S(trend_text(TREND_CHURNS), "churns");
	OK(!trend_text(TREND_NONE) && !trend_name(TREND_NONE), "no verdict has no word");
}

int main(void)
{
	test_statistics();
	test_grows();
	test_settled();
	test_churns();
	test_false_positives();
	test_words();
	return done_testing();
}
