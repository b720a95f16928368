/* chart.h -- what the pictures of a drawing list have in common: title, axes with sensible ticks,
 * values with units.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_CHART_H
#define MEMUSAGESTAT_CHART_H

#include <stdbool.h>
#include <stdint.h>

#include "memusagestat/drawing/drawing.h"
#include "memusagestat/drawing/theme.h"

enum { CHART_LABEL = 40 };

/* An area of a picture in which values are drawn. */
struct chart {
	struct drawing *d;
	const struct theme *theme;
	double left, top, width, height;	/* pixels */
	double x_end, y_end;			/* values at the right and the upper edge, over 0 */
};

/* Writes a value as a text; DATA is chart_axis's. Returns its argument. */
typedef const char *(*chart_label_fn)(char text[CHART_LABEL], double value, const void *data);

/* chart_bytes, chart_time, chart_count -- "1.50 MiB", "2.5 s" or "12 min" (of nanoseconds), "12 M".
 *
 * data  of a mark of an axis: the distance of its marks, a double; NULL: a value by itself.
 */
const char *chart_bytes(char text[CHART_LABEL], double value, const void *data);
const char *chart_time(char text[CHART_LABEL], double value, const void *data);
const char *chart_count(char text[CHART_LABEL], double value, const void *data);

/* chart_title -- the title, or what stands for it, and a smaller line below; at the top left.
 *
 * title     NULL: COMMAND is taken. Cut to the width of the drawing.
 * subtitle  NULL: none.
 * Returns the y below them.
 */
double chart_title(struct drawing *d, const struct theme *theme, const char *title,
		   const char *subtitle);

/* chart_step -- the distance of the marks of an axis from 0 to END: at most MOST of them.
 *
 * is_binary  for bytes: 1, 2, 4, ... KiB; else 1, 2 or 5 times a power of ten.
 */
double chart_step(double end, unsigned int most, bool is_binary);

/* chart_time_step -- the same for a time in nanoseconds: seconds, minutes and hours as clocks have
 * them. */
double chart_time_step(double end_ns, unsigned int most);

/* chart_color -- a colour of the series that can be seen on the plot: contrast 3 at least. */
uint32_t chart_color(const struct theme *theme, int number);

/* chart_axes -- background, lines and labels of both axes.
 *
 * x_label, y_label  write their values; y is of bytes. NULL: no labels on that axis.
 * caption           below the x axis; NULL: none.
 */
void chart_axes(const struct chart *c, chart_label_fn x_label, chart_label_fn y_label,
		const char *caption);

/* chart_x, chart_y -- where a value lies, in pixels. */
double chart_x(const struct chart *c, double value);
double chart_y(const struct chart *c, double value);

/* A curve of COUNT points. */
struct chart_curve {
	const double *x, *y;
	size_t count;
	const char *name;
	uint32_t color;
	double dash;		/* pixels; 0: none */
	bool is_filled;
};

/* chart_curve -- draw it, as far as it lies in the plot. Any numbers do. */
void chart_curve(const struct chart *c, const struct chart_curve *curve);

/* chart_legend -- the names of COUNT curves, in one row that ends above the chart. */
void chart_legend(const struct chart *c, const struct chart_curve *curve, size_t count);

/* chart_peak -- mark a point by a ring and a text beside it, within the chart. */
void chart_peak(const struct chart *c, double x, double y, const char *text);

#endif
