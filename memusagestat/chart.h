/* chart.h -- Parts of every chart: title, axes with round marks, curves, values with units.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusagestat/drawing/drawing.h"
#include "memusagestat/drawing/theme.h"

enum { CHART_LABEL = 40, CHART_LEGEND_ROW = 22 };

/* The area of a picture in which values are drawn. */
struct chart {
	struct drawing *d;
	const struct theme *theme;
	double left, top, width, height;	/* pixels */
	double x_end, y_end;			/* values at the right and the upper edge, over 0 */
};

/* Writes a value as a text. DATA is what chart_bytes() takes. Returns TEXT. */
typedef const char *(*chart_label_fn)(char text[CHART_LABEL], double value, const void *data);

/* chart_bytes, chart_time, chart_count -- Write "1.50 MiB", "2.5 s" or "12 min" (of nanoseconds),
 * "12 M".
 *
 * data  for a mark of an axis, the distance of its marks as a double; NULL for a single value.
 * Return TEXT.
 */
const char *chart_bytes(char text[CHART_LABEL], double value, const void *data);
const char *chart_time(char text[CHART_LABEL], double value, const void *data);
const char *chart_count(char text[CHART_LABEL], double value, const void *data);

/* chart_title -- Draws the title at the top left, and a smaller line below it.
 *
 * title     cut to the width of the drawing; NULL: empty.
 * subtitle  NULL: none.
 * A small drawing has no room for the subtitle, a very small one none for the title.
 * Returns the y below them, 0 without a title.
 */
double chart_title(struct drawing *d, const struct theme *theme, const char *title,
		   const char *subtitle);

/* chart_color -- Returns a colour of the series, made to contrast with the plot: by 4, if ten steps
 * suffice. */
uint32_t chart_color(const struct theme *theme, int number);

/* chart_axes -- Draws the background, the lines and the labels of both axes.
 *
 * x_label, y_label  write the values of the axis; y is in bytes. NULL: no labels on that axis.
 * caption           below the x axis; NULL: none.
 * Labels that overlap others or leave the drawing, and a caption without room, are left out.
 */
void chart_axes(const struct chart *c, chart_label_fn x_label, chart_label_fn y_label,
		const char *caption);

/* A curve of COUNT points. */
struct chart_curve {
	const double *x, *y;
	size_t count;
	const char *name;
	uint32_t color;
	double dash;		/* pixels; 0: none */
	bool is_filled;
};

/* chart_curve -- Draws the part of the curve that is in the plot. Any numbers are allowed. */
void chart_curve(const struct chart *c, const struct chart_curve *curve);

/* chart_legend_rows -- Returns how many rows the names of COUNT curves take; each is
 * CHART_LEGEND_ROW units high. */
unsigned int chart_legend_rows(const struct chart *c, const struct chart_curve *curve,
			       size_t count);

/* chart_legend -- Draws the names of COUNT curves in rows above the chart. */
void chart_legend(const struct chart *c, const struct chart_curve *curve, size_t count);

/* chart_peak -- Marks a point by a dot, and by a text next to it if it fits into the chart. */
void chart_peak(const struct chart *c, double x, double y, const char *text);
