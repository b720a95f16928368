/* verdict.h -- Decides whether runs break a condition, or only vary.
 *
 * A condition is broken only if each run breaks it: otherwise a rise of one run in five would stop
 * a change that has nothing to do with it. A baseline varies, too. A figure that may vary must
 * therefore exceed the highest of the baseline's runs by the limit and by twice of what it is seen
 * to vary on the side where it varies more; one side must have enough runs to show that.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include "profile/budget/condition.h"

enum { VERDICT_RUNS_MIN = 3 };	/* of a side, to know how much it varies */
#define VERDICT_NO_P 2.0	/* no probability */

/* The things that a figure depends on, besides the program. */
enum figure_class {
	FIGURE_EXACT,		/* nothing: it is the same in each run of a program that does the
				 * same */
	FIGURE_BY_THREADS,	/* the order in which threads run */
	FIGURE_BY_MACHINE,	/* the kernel, the environment, the load */
	FIGURE_ESTIMATED	/* which blocks were sampled */
};

/* A figure of one run: bytes, or a count. LOW and HIGH are the bounds of an estimate, or of what
 * the kernel knows; otherwise all three are equal. */
struct figure {
	double value, low, high;
	enum figure_class class;
};

enum verdict_state {
	VERDICT_HOLDS,
	VERDICT_BROKEN,
	VERDICT_UNDECIDED	/* it may be broken, or vary: more runs would tell */
};

/* Least, median and most of a figure over runs. */
struct figure_spread {
	double least, median, most;
	double low, high;	/* the widest bounds of all runs */
	enum figure_class class;	/* the worst of all runs; not EXACT if they differ */
	size_t runs;
};

struct verdict {
	enum verdict_state state;
	struct figure_spread old, new;	/* old.runs is 0 without a baseline */
	double limit;		/* that each run must pass to break it, in the unit of the figure */
	double over;		/* the median above that limit; less than 0: below it */
	size_t broken;		/* runs that pass the limit */
	double p;		/* of the rank sum test between both sides, or VERDICT_NO_P */
};

/* verdict_spread -- Computes the spread of COUNT figures, at least 1. */
struct figure_spread verdict_spread(const struct figure *figure, size_t count);

/* verdict_judge -- Judges the runs of a program.
 *
 * old  the runs of the baseline; not used of an absolute condition, of a relative one at least 1.
 * new  the runs to be judged, at least 1.
 */
struct verdict verdict_judge(const struct condition *c, const struct figure *old, size_t olds,
			     const struct figure *new, size_t news);

/* verdict_class_text -- Returns what a figure depends on, in words: "exact", "depends on the
 * machine". */
const char *verdict_class_text(enum figure_class class);
