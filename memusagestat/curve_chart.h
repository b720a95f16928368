/* curve_chart.h -- The memory of a run over time, in the light or dark theme.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include "memusagestat/chart.h"

enum { CURVE_CHART_LINES = 5 };

/* Curves over one x axis. */
struct curve_chart {
	struct chart_curve line[CURVE_CHART_LINES];	/* first the heap, which has the peak */
	size_t lines;
	struct chart_curve stack;	/* in a separate chart; count 0: none */
	double x_end;
	chart_label_fn x_label;
	const char *x_what;	/* what x counts: "calls"; NULL: time */
	const char *caption;		/* of the x axis */
	const char *title, *subtitle;
};

/* curve_chart_draw -- Draws the chart.
 *
 * d  initialised here with SIZE pixels; release it with drawing_fini(). A large picture has larger
 *    texts; a small one leaves out what does not fit: first the stack, then all texts.
 */
void curve_chart_draw(struct drawing *d, const struct curve_chart *c, const struct theme *theme,
		      struct point size);
