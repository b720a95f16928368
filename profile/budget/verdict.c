/* verdict.c -- Decides whether runs break a condition, or only vary.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/budget/rank_test.h"

static int compare_values(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct figure_spread verdict_spread(const struct figure *figure, size_t count)
{
	struct figure_spread s = { .class = FIGURE_EXACT, .runs = count, .low = figure[0].low,
				   .high = figure[0].high };
	double *value = xcalloc(count, sizeof(*value));

	for (size_t i = 0; i < count; i++) {
		value[i] = figure[i].value;
		s.low = fmin(s.low, figure[i].low);
		s.high = fmax(s.high, figure[i].high);
		if (figure[i].class > s.class)
			s.class = figure[i].class;
	}
	qsort(value, count, sizeof(*value), compare_values);
	s.least = value[0];
	s.median = (value[(count - 1) / 2] + value[count / 2]) / 2;
	s.most = value[count - 1];
	/* Addresses, hashes with a random seed, times: the program did not do the same. */
	if (s.class == FIGURE_EXACT && s.most > s.least)
		s.class = FIGURE_BY_MACHINE;
	free(value);
	return s;
}

static double highest_bound(const struct figure *figure, size_t count)
{
	double high = figure[0].high;

	for (size_t i = 1; i < count; i++)
		high = figure[i].high > high ? figure[i].high : high;
	return high;
}

static double limit_from(const struct condition *c, double base)
{
	if (!c->is_relative)
		return c->limit;
	return c->is_percent ? base * (1 + c->limit / 100) : base + c->limit;
}

static bool passes(const struct condition *c, double value, double limit)
{
	return c->or_equal ? value >= limit : value > limit;
}

static bool may_vary(const struct verdict *v)
{
	return v->old.class != FIGURE_EXACT || v->new.class != FIGURE_EXACT;
}

/* Three of three runs are above three others by chance in one case of twenty, so how much the
 * figure is seen to vary is added to the limit, twice: few runs do not show all of it. */
static double allowance(const struct verdict *v)
{
	const double old = v->old.most - v->old.least, new = v->new.most - v->new.least;

	return may_vary(v) ? 2 * (old > new ? old : new) : 0;
}

static bool knows_variation(const struct verdict *v)
{
	return !may_vary(v) || v->new.class == FIGURE_ESTIMATED ||
	       v->old.runs >= VERDICT_RUNS_MIN || v->new.runs >= VERDICT_RUNS_MIN;
}

/* One run of a side, or figures that are the same in each run, leave nothing to test. */
static double compute_p(const struct verdict *v, const struct figure *old, const struct figure *new)
{
	double *value[2], p;

	if (!may_vary(v) || v->old.runs < 2 || v->new.runs < 2)
		return VERDICT_NO_P;
	value[0] = xcalloc(v->old.runs, sizeof(double));
	value[1] = xcalloc(v->new.runs, sizeof(double));
	for (size_t i = 0; i < v->old.runs; i++)
		value[0][i] = old[i].value;
	for (size_t i = 0; i < v->new.runs; i++)
		value[1][i] = new[i].value;
	p = rank_test_p(value[0], v->old.runs, value[1], v->new.runs);
	free(value[0]);
	free(value[1]);
	return p;
}

struct verdict verdict_judge(const struct condition *c, const struct figure *old, size_t olds,
			     const struct figure *new, size_t news)
{
	struct verdict v = { .state = VERDICT_HOLDS, .new = verdict_spread(new, news),
			     .p = VERDICT_NO_P };

	v.limit = limit_from(c, 0);
	if (c->is_relative) {
		v.old = verdict_spread(old, olds);
		v.limit = limit_from(c, highest_bound(old, olds)) + allowance(&v);
		v.p = compute_p(&v, old, new);
	}
	for (size_t i = 0; i < news; i++)
		v.broken += passes(c, new[i].low, v.limit);
	v.over = v.new.median - v.limit;
	if (v.broken == news)
		v.state = c->is_relative && !knows_variation(&v) ? VERDICT_UNDECIDED :
								     VERDICT_BROKEN;
	return v;
}

const char *verdict_class_text(enum figure_class class)
{
	static const char *const texts[] = {
		[FIGURE_EXACT] = "exact",
		[FIGURE_BY_THREADS] = "depends on the order of threads",
		[FIGURE_BY_MACHINE] = "depends on the machine",
		[FIGURE_ESTIMATED] = "estimated from samples",
	};

	return texts[class];
}
