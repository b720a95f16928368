/* trend.c -- Judges a series of live bytes: it still grows, has settled, or churns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/trend.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

#define SIGNIFICANT 1.96	/* normal score of 97.5 % */
#define OLD_ENOUGH 0.9		/* of the run: younger blocks are no evidence */
#define FLAT 0.05		/* of the range: a smaller change is none */
#define STEADY 0.2		/* of the range: a level stays within */
#define CHURN 10.0		/* times the most that was live */

static int compare_values(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double variance_term(double n)
{
	return n * (n - 1) * (2 * n + 5);
}

/* Returns the sum of variance_term() over each set of equal values. */
static double sum_of_ties(const double *value, uint32_t count)
{
	double *sorted = xreallocarray(NULL, count, sizeof(*sorted));
	double sum = 0;

	memcpy(sorted, value, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_values);
	for (uint32_t i = 0, j; i < count; i = j) {
		for (j = i + 1; j < count && sorted[j] <= sorted[i]; j++)
			;
		sum += variance_term(j - i);
	}
	free(sorted);
	return sum;
}

double trend_mann_kendall(const double *value, uint32_t count)
{
	double sum = 0, variance;

	if (count < 2)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = i + 1; j < count; j++)
			sum += (value[j] > value[i]) - (value[j] < value[i]);
	}
	variance = (variance_term(count) - sum_of_ties(value, count)) / 18;
	if (variance <= 0 || fabs(sum) < 1)
		return 0;
	return (sum > 0 ? sum - 1 : sum + 1) / sqrt(variance);
}

double trend_drift(const double *value, uint32_t count)
{
	double sum = 0, squares = 0, largest = 0;

	for (uint32_t i = 1; i < count; i++) {
		double step = value[i] - value[i - 1];

		sum += step;
		squares += step * step;
		if (fabs(step) > fabs(largest))
			largest = step;
	}
	squares -= largest * largest;
	return squares > 0 ? (sum - largest) / sqrt(squares) : 0;
}

/* Returns the mean over the time from FROM to TO. A value holds until the next one. */
static double mean_between(const struct trend_series *s, double from, double to)
{
	double sum = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		double begin = fmax(s->time[i], from);
		double end = fmin(i + 1 < s->count ? s->time[i + 1] : s->end, to);

		if (end > begin)
			sum += s->value[i] * (end - begin);
	}
	return sum / (to - from);
}

struct range {
	double low, high;
};

/* Returns the range of the values that held at some time from FROM to TO. */
static struct range range_between(const struct trend_series *s, double from, double to)
{
	struct range r = { HUGE_VAL, -HUGE_VAL };

	for (uint32_t i = 0; i < s->count; i++) {
		if (s->time[i] > to || (i + 1 < s->count && s->time[i + 1] <= from))
			continue;
		r.low = fmin(r.low, s->value[i]);
		r.high = fmax(r.high, s->value[i]);
	}
	return r;
}

/* A series without its young part, and figures of its last third. */
struct judged {
	const struct trend_series *series;
	uint32_t count;		/* of values that are old enough */
	struct range all, before, last, young;	/* before: the first two thirds */
	double level;		/* mean of the last third */
	double rise;		/* through the last third, of a line */
	bool rises_on;		/* from each quarter of that to the next */
	double score;		/* trend_mann_kendall() */
};

enum { QUARTERS = 4 };

/* Tells whether the mean of each quarter of a part of the run is above that before it by LEAST. */
static bool rises_throughout(const struct trend_series *s, double from, double to, double least)
{
	const double part = (to - from) / QUARTERS;
	double before = mean_between(s, from, from + part);

	for (int i = 1; i < QUARTERS; i++) {
		const double mean = mean_between(s, from + i * part, from + (i + 1) * part);

		if (mean < before + least)
			return false;
		before = mean;
	}
	return true;
}

static void measure_series(struct judged *j, const struct trend_series *s)
{
	const double end = OLD_ENOUGH * s->end, third = end * 2 / 3, middle = (third + end) / 2;

	*j = (struct judged){ .series = s };
	while (j->count < s->count && s->time[j->count] <= end)
		j->count++;
	if (j->count < TREND_POINTS_MIN)
		return;
	j->all = range_between(s, 0, end);
	j->before = range_between(s, 0, third);
	j->last = range_between(s, third, end);
	j->young = range_between(s, end, s->end);
	j->level = mean_between(s, third, end);
	/* The means of the halves of a line differ by half of its rise. */
	j->rise = 2 * (mean_between(s, middle, end) - mean_between(s, third, middle));
	j->rises_on = rises_throughout(s, third, end, FLAT * (j->all.high - j->all.low) / QUARTERS);
	j->score = trend_mann_kendall(s->value, j->count);
}

/* A random walk has a trend more often than not, so this asks for drift as well. A place
 * that only fills up again, as a cache that has lost some, does not grow; one that was larger at
 * the beginning may. */
static bool grows(const struct judged *j)
{
	return j->score > SIGNIFICANT && trend_drift(j->series->value, j->count) > SIGNIFICANT &&
	       j->rise >= FLAT * (j->all.high - j->all.low) && j->rise > j->series->noise &&
	       (j->last.high > j->before.high || j->rises_on);
}

static bool churns(const struct judged *j)
{
	return fabs(j->score) <= SIGNIFICANT &&
	       j->series->total >= CHURN * (j->all.high + j->series->noise);
}

static bool has_settled(const struct judged *j)
{
	const double range = j->all.high - j->all.low;

	return range > j->series->noise && j->series->value[0] <= j->all.low + FLAT * range &&
	       j->level >= j->all.high - STEADY * range && fabs(j->rise) < FLAT * range &&
	       j->last.high - j->last.low <= STEADY * range &&
	       j->young.high <= j->all.high + FLAT * range;
}

enum trend trend_judge(const struct trend_series *s)
{
	struct judged j;

	if (s->count < TREND_POINTS_MIN || !(s->end > 0))
		return TREND_NONE;
	measure_series(&j, s);
	if (j.count < TREND_POINTS_MIN || j.all.high <= 0)
		return TREND_NONE;
	if (grows(&j))
		return TREND_GROWS;
	if (churns(&j))
		return TREND_CHURNS;
	return has_settled(&j) ? TREND_SETTLED : TREND_NONE;
}

const char *trend_name(enum trend trend)
{
	static const char *const names[] = { [TREND_GROWS] = "grows",
					     [TREND_SETTLED] = "settled",
					     [TREND_CHURNS] = "churns" };

	return names[trend];
}

const char *trend_text(enum trend trend)
{
	return trend == TREND_GROWS ? "still growing" : trend_name(trend);
}
