/* rank_test.c -- Tells whether two groups of figures differ by more than chance.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/rank_test.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli/xmalloc.h"

/* A figure, and twice its rank, which is whole: equal figures have the mean of their ranks. */
struct ranked {
	double value;
	uint32_t rank2;
	bool is_x;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Returns twice the sum of ranks of X; *TIES is the sum of t^3 - t over groups of t equal ones. */
static uint64_t rank_figures(struct ranked *r, size_t count, double *ties)
{
	uint64_t sum = 0;

	qsort(r, count, sizeof(*r), compare_ranked);
	*ties = 0;
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && r[end].value == r[i].value;)
			end++;
		*ties += (double)(end - i) * (double)(end - i) * (double)(end - i) -
			 (double)(end - i);
		for (size_t k = i; k < end; k++) {
			r[k].rank2 = (uint32_t)(i + 1 + end);
			sum += r[k].is_x ? r[k].rank2 : 0;
		}
	}
	return sum;
}

/* Counts the ways to choose XS of the figures by their sum of ranks, and which are as far from the
 * mean as SUM. */
static double count_exactly(const struct ranked *r, size_t count, size_t xs, uint64_t sum)
{
	const size_t sums = count * (count + 1) + 1, mean = xs * (count + 1);
	const double distance = fabs((double)sum - (double)mean);
	double *ways = xcalloc((xs + 1) * sums, sizeof(*ways)), all = 0, far = 0;

	ways[0] = 1;
	for (size_t i = 0; i < count; i++) {
		for (size_t n = (i + 1 < xs ? i + 1 : xs); n > 0; n--) {
			for (size_t s = r[i].rank2; s < sums; s++)
				ways[n * sums + s] += ways[(n - 1) * sums + s - r[i].rank2];
		}
	}
	for (size_t s = 0; s < sums; s++) {
		all += ways[xs * sums + s];
		if (fabs((double)s - (double)mean) >= distance)
			far += ways[xs * sums + s];
	}
	free(ways);
	return far / all;
}

/* With the correction for continuity, in units of half a rank. */
static double approximate(size_t count, size_t xs, uint64_t sum, double ties)
{
	const double n = (double)count, x = (double)xs, y = n - x;
	const double variance = x * y / 12 * (n + 1 - ties / (n * (n - 1)));
	const double distance = fabs((double)sum / 2 - x * (n + 1) / 2) - 0.5;

	if (variance <= 0 || distance <= 0)
		return 1;
	return erfc(distance / sqrt(2 * variance));
}

double rank_test_p(const double *x, size_t xs, const double *y, size_t ys)
{
	const size_t count = xs + ys;
	struct ranked *r = xcalloc(count + 1, sizeof(*r));
	double ties, p = 1;
	uint64_t sum;

	for (size_t i = 0; i < count; i++)
		r[i] = (struct ranked){ .value = i < xs ? x[i] : y[i - xs], .is_x = i < xs };
	sum = rank_figures(r, count, &ties);
	if (xs > 0 && ys > 0)
		p = count <= RANK_TEST_MOST ? count_exactly(r, count, xs, sum) :
					      approximate(count, xs, sum, ties);
	free(r);
	return p;
}
