/* curve.h -- The course of heap and resident memory, for a few rows of a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIVE_POINTS = 4096 };

struct live_point {
	uint64_t ns;		/* since the process began; ascending */
	double heap;		/* bytes */
	double rss;		/* bytes; 0 unknown */
};

/* Zeroed, it is empty. If it is full, pairs of points become one with the larger values: an hour of
 * a view that looks once a second needs no more room than a minute. */
struct live_curve {
	struct live_point point[LIVE_POINTS];
	size_t count;
};

/* curve_append -- Appends a point; one that is not later than the last replaces that. */
void curve_append(struct live_curve *c, const struct live_point *point);

/* curve_fit -- Computes the largest values within each column.
 *
 * heap, rss  COLUMNS values each. A value holds until the next point; before the first it is -1.
 * Returns the time of the last point: columns divide the time from the start of the process to it.
 */
uint64_t curve_fit(const struct live_curve *c, double *heap, double *rss, unsigned int columns);

/* curve_scale -- Chooses the bytes at the top of the curve.
 *
 * has_rss  set to whether the resident memory is drawn: not if the heap is less than half of it,
 *          whose changes could not be seen then.
 */
double curve_scale(const struct live_curve *c, bool *has_rss);
