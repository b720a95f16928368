/* trend.h -- Judges a series of live bytes: it still grows, has settled, or churns.
 *
 * Functions here only compute. docs/design.md, "Trends", has the reasons for the rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

enum trend { TREND_NONE, TREND_GROWS, TREND_SETTLED, TREND_CHURNS };

enum { TREND_POINTS_MIN = 8 };	/* fewer values are no evidence */

/* Live bytes from time to time. All arrays are borrowed. */
struct trend_series {
	const double *time;	/* since the start, in any unit; never decreases */
	const double *value;	/* bytes, from time[i] until time[i + 1] */
	uint32_t count;
	double end;		/* of the run, in the unit of time; no less than the last time */
	double total;		/* bytes ever allocated; 0: not known */
	double noise;		/* bytes; a change up to this may be an error of estimates */
};

/* trend_judge -- Judges a series.
 *
 * The last 10 % of the run count only against a verdict: blocks there are too young.
 * Returns TREND_NONE without evidence. Cost O(count^2).
 */
enum trend trend_judge(const struct trend_series *s);

/* trend_mann_kendall -- Returns the normal score z of Mann and Kendall's test, corrected for ties.
 *
 * Above 1.96 the values rise, with an error of 2.5 % if they are independent; 0 if all are equal.
 */
double trend_mann_kendall(const double *value, uint32_t count);

/* trend_drift -- Returns the change from the first value to the last, without the largest step, in
 * units of what a walk with the same steps, but random signs, deviates by: the root of the sum of
 * squared steps. A program often begins with a large step, which says nothing about the rest.
 *
 * 0 if there are no other steps. Above 1.96, a walk does this with a probability of about 2.5 %.
 */
double trend_drift(const double *value, uint32_t count);

/* trend_name -- Returns "grows", "settled" or "churns" for formats; NULL for TREND_NONE. */
const char *trend_name(enum trend trend);

/* trend_text -- Returns "still growing", "settled" or "churns" for people; NULL for TREND_NONE. */
const char *trend_text(enum trend trend);
