/* budget_verdict.c -- A gate fails for a change, and not for what varies anyway.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/verdict.h"

#include "tests/lib/tap.h"

enum { MOST = 8 };

static struct condition parse(const char *text)
{
	struct condition c;
	struct mu_error err;

	EQ_I(condition_parse(&c, text, &err), 0);
	return c;
}

/* A list of figures ends with -1. */
static size_t fill(struct figure *figure, const double *value, enum figure_class class)
{
	size_t n = 0;

	for (; value[n] >= 0; n++)
		figure[n] = (struct figure){ value[n], value[n], value[n], class };
	return n;
}

#define RUNS(...) (const double[]){ __VA_ARGS__, -1 }

static struct verdict judge(const char *text, enum figure_class class, const double *old,
			    const double *new)
{
	const struct condition c = parse(text);
	struct figure before[MOST], now[MOST];
	const size_t olds = old ? fill(before, old, class) : 0;

	return verdict_judge(&c, before, olds, now, fill(now, new, class));
}

static void test_absolute(void)
{
	struct verdict v = judge("total > 100", FIGURE_EXACT, NULL, RUNS(101));

	EQ_I(v.state, VERDICT_BROKEN);
	EQ_D(v.over, 1, 0);
	EQ_I(judge("total > 100", FIGURE_EXACT, NULL, RUNS(100)).state, VERDICT_HOLDS);
	EQ_I(judge("total >= 100", FIGURE_EXACT, NULL, RUNS(100)).state, VERDICT_BROKEN);
	EQ_I(judge("total > 100", FIGURE_BY_MACHINE, NULL, RUNS(101)).state, VERDICT_BROKEN);
	v = judge("total > 100", FIGURE_BY_THREADS, NULL, RUNS(101, 99, 102));
	EQ_I(v.state, VERDICT_HOLDS);
	EQ_U(v.broken, 2);
	EQ_D(v.new.median, 101, 0);
	EQ_I(judge("total > 100", FIGURE_BY_THREADS, NULL, RUNS(101, 103, 102)).state,
	     VERDICT_BROKEN);
}

static void test_exact(void)
{
	EQ_I(judge("total > +1%", FIGURE_EXACT, RUNS(1000), RUNS(1010)).state, VERDICT_HOLDS);
	EQ_I(judge("total > +1%", FIGURE_EXACT, RUNS(1000), RUNS(1011)).state, VERDICT_BROKEN);
	EQ_I(judge("total > +5", FIGURE_EXACT, RUNS(1000), RUNS(1006)).state, VERDICT_BROKEN);
	EQ_I(judge("total > +0%", FIGURE_EXACT, RUNS(0), RUNS(1)).state, VERDICT_BROKEN);
	EQ_I(judge("total > +0%", FIGURE_EXACT, RUNS(7), RUNS(7)).state, VERDICT_HOLDS);
	EQ_I(judge("total > +1%", FIGURE_EXACT, RUNS(1000), RUNS(900)).state, VERDICT_HOLDS);
}

/* One run says nothing about how much a figure varies. */
static void test_undecided(void)
{
	EQ_I(judge("total > +1%", FIGURE_BY_THREADS, RUNS(1000), RUNS(1011)).state,
	     VERDICT_UNDECIDED);
	EQ_I(judge("total > +1%", FIGURE_BY_MACHINE, RUNS(1000), RUNS(1025, 1030)).state,
	     VERDICT_UNDECIDED);
	EQ_I(judge("total > +1%", FIGURE_BY_THREADS, RUNS(1000), RUNS(1010)).state, VERDICT_HOLDS);
	/* Two runs of a program that was thought to be exact. */
	EQ_I(judge("total > +1%", FIGURE_EXACT, RUNS(1000), RUNS(1020, 1021)).state,
	     VERDICT_UNDECIDED);
}

static void test_runs(void)
{
	/* The baseline may vary by 20 as well. */
	EQ_I(judge("total > +1%", FIGURE_BY_THREADS, RUNS(1000), RUNS(1045, 1055, 1065)).state,
	     VERDICT_HOLDS);
	EQ_I(judge("total > +1%", FIGURE_BY_THREADS, RUNS(1000), RUNS(1051, 1061, 1071)).state,
	     VERDICT_BROKEN);
	EQ_I(judge("total > +1%", FIGURE_BY_THREADS, RUNS(990, 1000, 1010), RUNS(1061)).state,
	     VERDICT_BROKEN);
	/* Both are known: all new ones are above the highest old one, the limit and the noise. */
	EQ_I(judge("total > +1%", FIGURE_BY_THREADS, RUNS(990, 1000, 1010),
		   RUNS(1059, 1065, 1075)).state, VERDICT_HOLDS);
	EQ_I(judge("total > +1%", FIGURE_BY_THREADS, RUNS(990, 1000, 1010),
		   RUNS(1061, 1065, 1075)).state, VERDICT_BROKEN);
}

/* The bounds of estimates count, not their middle. */
static void test_estimates(void)
{
	const struct condition c = parse("total > 100"), growth = parse("total > +1%");
	struct figure old = { 100, 95, 105, FIGURE_ESTIMATED };
	struct figure new = { 110, 99, 121, FIGURE_ESTIMATED };

	EQ_I(verdict_judge(&c, NULL, 0, &new, 1).state, VERDICT_HOLDS);
	new.low = 101;
	EQ_I(verdict_judge(&c, NULL, 0, &new, 1).state, VERDICT_BROKEN);
	EQ_I(verdict_judge(&growth, &old, 1, &new, 1).state, VERDICT_HOLDS);
	new.low = 107;
	EQ_I(verdict_judge(&growth, &old, 1, &new, 1).state, VERDICT_BROKEN);
}

static void test_spread(void)
{
	struct figure figure[MOST];
	struct figure_spread s = verdict_spread(figure, fill(figure, RUNS(5, 1, 3, 2),
							     FIGURE_EXACT));

	EQ_D(s.least, 1, 0);
	EQ_D(s.median, 2.5, 0);
	EQ_D(s.most, 5, 0);
	EQ_I(s.class, FIGURE_BY_MACHINE);
	s = verdict_spread(figure, fill(figure, RUNS(7, 7), FIGURE_EXACT));
	EQ_I(s.class, FIGURE_EXACT);
	EQ_U(s.runs, 2);
}

int main(void)
{
	test_absolute();
	test_exact();
	test_undecided();
	test_runs();
	test_estimates();
	test_spread();
	return done_testing();
}
