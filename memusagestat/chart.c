/* chart.c -- Parts of every chart: title, axes with round marks, curves, values with units.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusagestat/drawing/clip.h"

enum {
	MARGIN = 16, TITLE = 17, SUBTITLE = 12, LABEL = 12,
	/* Less room than this is left to the curves. */
	TITLE_LEAST_WIDTH = 160, TITLE_LEAST_HEIGHT = 130, SUBTITLE_LEAST_HEIGHT = 200,
};

/* ---- values -------------------------------------------------------------------------------- */

const char *chart_bytes(char text[CHART_LABEL], double value, const void *data)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	unsigned int unit = 0;
	double step = data ? *(const double *)data : 0;

	/* All marks of an axis have one unit, and enough decimals to differ. */
	while (data ? step >= 256 && unit < 6 : value >= 1024 && unit < 6) {
		value /= 1024;
		step /= 1024;
		unit++;
	}
	if (data && value == 0) {
		snprintf(text, CHART_LABEL, "0");
		return text;
	}
	if (data) {
		snprintf(text, CHART_LABEL, "%.*f %s", step >= 1 ? 0 : step >= 0.5 ? 1 : 2, value,
			 units[unit]);
		return text;
	}
	snprintf(text, CHART_LABEL, "%.*f %s", value < 10 && value != floor(value) ? 2 :
					      value < 100 && value != floor(value) ? 1 : 0,
		 value, units[unit]);
	return text;
}

const char *chart_time(char text[CHART_LABEL], double value, const void *data)
{
	char time[UNITS_LENGTH];

	if (value >= 120e9)
		snprintf(text, CHART_LABEL, "%s", units_duration(time, units_whole(value)));
	else if (value >= 1e9 || value == 0)
		snprintf(text, CHART_LABEL, "%.4g s", value / 1e9);
	else if (value >= 1e6)
		snprintf(text, CHART_LABEL, "%.4g ms", value / 1e6);
	else
		snprintf(text, CHART_LABEL, "%.4g us", value / 1e3);
	return text;
}

const char *chart_count(char text[CHART_LABEL], double value, const void *data)
{
	if (value >= 1e9)
		snprintf(text, CHART_LABEL, "%.4g G", value / 1e9);
	else if (value >= 1e6)
		snprintf(text, CHART_LABEL, "%.4g M", value / 1e6);
	else if (value >= 1e4)
		snprintf(text, CHART_LABEL, "%.4g k", value / 1e3);
	else
		snprintf(text, CHART_LABEL, "%.4g", value);
	return text;
}

uint32_t chart_color(const struct theme *theme, int number)
{
	uint32_t color = theme->series[number], to = theme_ink(theme->plot);

	for (int i = 0; i < 10 && theme_contrast(color, theme->plot) < 4; i++)
		color = theme_blend(color, to, 0.8);
	return color;
}

/* ---- frame --------------------------------------------------------------------------------- */

double chart_title(struct drawing *d, const struct theme *theme, const char *title,
		   const char *subtitle)
{
	const struct text_style big = { .size = TITLE, .color = theme->text, .is_bold = true };
	const struct text_style small = { .size = SUBTITLE, .color = theme->dim };
	double y = MARGIN + TITLE * 0.75;
	char *text;

	if (d->width < TITLE_LEAST_WIDTH || d->height < TITLE_LEAST_HEIGHT)
		return 0;
	text = drawing_text_fit(&big, title ? title : "", d->width - 2 * MARGIN, true);
	drawing_text(d, MARGIN, y, &big, text);
	free(text);
	if (subtitle && d->height >= SUBTITLE_LEAST_HEIGHT) {
		y += SUBTITLE + 7;
		text = drawing_text_fit(&small, subtitle, d->width - 2 * MARGIN, false);
		drawing_text(d, MARGIN, y, &small, text);
		free(text);
	}
	return y + 12;
}

/* Returns the distance of the marks of an axis from 0 to END: at most MOST of them. It is a power
 * of two for bytes, and 1, 2 or 5 times a power of ten for others. */
static double choose_step(double end, unsigned int most, bool is_binary)
{
	double least = end / (most ? most : 1), power, step;

	if (!(least > 0))
		return 1;
	if (is_binary)
		return exp2(ceil(log2(least)));
	power = pow(10, floor(log10(least)));
	for (step = power; step < least * (1 - 1e-9);)
		step = step < 1.5 * power ? 2 * power : step < 3 * power ? 5 * power :
		       step < 7 * power ? 10 * power : 2 * step;
	return step;
}

/* Returns the same for nanoseconds, in the steps of clocks: 10 s, 5 min, 1 h. */
static double choose_time_step(double end_ns, unsigned int most)
{
	static const unsigned int seconds[] = { 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
						10800, 21600, 43200, 86400 };
	double least = end_ns / (most ? most : 1);

	if (least <= 5e9)
		return choose_step(end_ns, most, false);
	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++)
		if (seconds[i] * 1e9 >= least)
			return seconds[i] * 1e9;
	return ceil(least / 86400e9) * 86400e9;
}

/* Returns the distance of the marks of the x axis. */
static double choose_column_step(const struct chart *c, chart_label_fn label)
{
	unsigned int most = (unsigned int)(c->width / 100) + 1;

	return label == chart_time ? choose_time_step(c->x_end, most) :
				     choose_step(c->x_end, most, label == chart_bytes);
}

/* Returns the position of a value, in pixels. */
static double chart_x(const struct chart *c, double value)
{
	return c->left + (c->x_end > 0 ? value / c->x_end * c->width : 0);
}

static double chart_y(const struct chart *c, double value)
{
	return c->top + c->height - (c->y_end > 0 ? value / c->y_end * c->height : 0);
}

static void draw_row_lines(const struct chart *c, chart_label_fn label)
{
	const struct text_style style = { .size = LABEL, .color = c->theme->dim,
					  .anchor = TEXT_END };
	double step = choose_step(c->y_end, (unsigned int)(c->height / 52) + 1, true);
	char text[CHART_LABEL];

	for (double v = 0; v <= c->y_end; v += step) {
		double y = floor(chart_y(c, v)) + 0.5;

		drawing_line(c->d, (struct point){ c->left, y },
			     (struct point){ c->left + c->width, y }, 1, c->theme->grid);
		if (label)
			drawing_text(c->d, c->left - 8, y + LABEL * 0.35, &style,
				     label(text, v, &step));
	}
}

/* Writes the label of a mark of the x axis at X, unless it overlaps the last one, which ends at
 * *LAST, or leaves the picture. */
static void draw_column_label(const struct chart *c, double x, const char *text, double *last)
{
	const struct text_style style = { .size = LABEL, .color = c->theme->dim };
	double width = drawing_text_width(&style, text);
	double from = x == floor(c->left) + 0.5 ? x : x - width / 2;

	if (from < *last + LABEL / 2 || from + width > c->d->width)
		return;
	drawing_text(c->d, from, c->top + c->height + 8 + LABEL, &style, text);
	*last = from + width;
}

static void draw_column_lines(const struct chart *c, chart_label_fn label)
{
	double bottom = c->top + c->height, last = -LABEL;
	double step = choose_column_step(c, label);
	char text[CHART_LABEL];

	for (double v = 0; v <= c->x_end * (1 + 1e-9); v += step) {
		double x = floor(chart_x(c, v)) + 0.5;

		drawing_line(c->d, (struct point){ x, c->top }, (struct point){ x, bottom }, 1,
			     c->theme->grid);
		if (!label)
			continue;
		drawing_line(c->d, (struct point){ x, bottom }, (struct point){ x, bottom + 5 }, 1,
			     c->theme->axis);
		draw_column_label(c, x, label(text, v, &step), &last);
	}
}

void chart_axes(const struct chart *c, chart_label_fn x_label, chart_label_fn y_label,
		const char *caption)
{
	const struct text_style style = { .size = LABEL, .color = c->theme->dim,
					  .anchor = TEXT_MIDDLE };
	double bottom = floor(c->top + c->height) + 0.5;
	double base = bottom + 2.6 * LABEL + 8;

	drawing_rectangle(c->d, c->left, c->top, c->width, c->height, c->theme->plot);
	draw_row_lines(c, y_label);
	draw_column_lines(c, x_label);
	drawing_line(c->d, (struct point){ c->left, bottom },
		     (struct point){ c->left + c->width, bottom }, 1, c->theme->axis);
	if (caption && base < c->d->height && drawing_text_width(&style, caption) <= c->width)
		drawing_text(c->d, c->left + c->width / 2, base, &style, caption);
}

/* ---- curves -------------------------------------------------------------------------------- */

static void fill_below_curve(const struct chart *c, const struct box *plot,
			     const struct point *line, size_t count, uint32_t color)
{
	struct point *area = xcalloc(count + 2, sizeof(*area));

	for (size_t i = 0; i < count; i++)
		area[i] = clip_point(plot, line[i]);
	area[count] = (struct point){ area[count - 1].x, plot->high.y };
	area[count + 1] = (struct point){ area[0].x, plot->high.y };
	drawing_polygon(c->d, area, count + 2, theme_blend(color, c->theme->plot, 0.22));
	free(area);
}

/* Draws the part of a curve that is in the plot: a line ends where it leaves the plot. */
static void draw_visible_pieces(const struct chart *c, const struct box *plot,
				const struct point *line, size_t count,
				const struct chart_curve *curve)
{
	struct point *inside = xcalloc(count, sizeof(*inside));
	size_t used = 0;

	for (size_t i = 0; i + 1 < count; i++) {
		struct point a = line[i], b = line[i + 1];
		bool is_there = clip_piece(plot, &a, &b);

		if (is_there && used == 0)
			inside[used++] = a;
		if (is_there)
			inside[used++] = b;
		if (is_there && b.x == line[i + 1].x && b.y == line[i + 1].y)
			continue;
		drawing_dashed(c->d, inside, used, 1.6, curve->dash, curve->color);
		used = 0;
	}
	drawing_dashed(c->d, inside, used, 1.6, curve->dash, curve->color);
	free(inside);
}

/* Returns the position of a value. One far outside of the plot is moved nearer to it: no pixel
 * of the plot shows the difference. */
static struct point clipped_position(const struct chart *c, double x, double y)
{
	const struct box around = { { c->left - c->width, c->top - c->height },
				    { c->left + 2 * c->width, c->top + 2 * c->height } };

	return clip_point(&around, (struct point){ chart_x(c, x), chart_y(c, y) });
}

static struct box chart_plot_box(const struct chart *c)
{
	return (struct box){ { c->left, c->top },
			     { c->left + c->width, c->top + c->height } };
}

void chart_curve(const struct chart *c, const struct chart_curve *curve)
{
	const struct box plot = chart_plot_box(c);
	struct point *line = xcalloc(curve->count + 1, sizeof(*line));
	size_t count;

	for (size_t i = 0; i < curve->count; i++)
		line[i] = clipped_position(c, curve->x[i], curve->y[i]);
	count = clip_to_columns(line, curve->count);
	if (count > 1 && curve->is_filled)
		fill_below_curve(c, &plot, line, count, curve->color);
	if (count > 1)
		draw_visible_pieces(c, &plot, line, count, curve);
	free(line);
}

enum { SWATCH = 26, SWATCH_GAP = 6, NAME_GAP = 24 };

static const struct text_style legend_style = { .size = LABEL };

/* Moves *X to the right of the name, and to a new row first if it does not fit; returns where its
 * entry begins. */
static double place_legend_entry(const struct chart *c, const char *name, double *x,
				 unsigned int *rows)
{
	double width = SWATCH + SWATCH_GAP + drawing_text_width(&legend_style, name), from;

	if (*x > c->left && *x + width > c->d->width) {
		*x = c->left;
		++*rows;
	}
	from = *x;
	*x += width + NAME_GAP;
	return from;
}

unsigned int chart_legend_rows(const struct chart *c, const struct chart_curve *curve, size_t count)
{
	unsigned int rows = 1;
	double x = c->left;

	for (size_t i = 0; i < count; i++)
		place_legend_entry(c, curve[i].name, &x, &rows);
	return rows;
}

void chart_legend(const struct chart *c, const struct chart_curve *curve, size_t count)
{
	struct text_style style = legend_style;
	unsigned int rows = chart_legend_rows(c, curve, count), row = 1;
	double x = c->left;

	style.color = c->theme->text;
	for (size_t i = 0; i < count; i++) {
		double from = place_legend_entry(c, curve[i].name, &x, &row);
		double y = c->top - 10 - (rows - row) * CHART_LEGEND_ROW;
		struct point left = { from, y - 4 }, right = { from + SWATCH, y - 4 };

		if (curve[i].dash > 0)
			drawing_dashes(c->d, left, right, 2.2, curve[i].dash, curve[i].color);
		else
			drawing_line(c->d, left, right, 2.6, curve[i].color);
		drawing_text(c->d, right.x + SWATCH_GAP, y, &style, curve[i].name);
	}
}

void chart_peak(const struct chart *c, double x, double y, const char *text)
{
	struct text_style style = { .size = LABEL, .color = c->theme->accent, .is_bold = true };
	const struct box plot = chart_plot_box(c);
	const struct point at = clip_point(&plot, (struct point){ chart_x(c, x), chart_y(c, y) });
	double width = drawing_text_width(&style, text);
	bool is_right = at.x + width + 12 < c->left + c->width;
	double y_text = fmax(at.y - 9, c->top + LABEL + 2);
	struct point ring[24];

	for (int i = 0; i < 24; i++)
		ring[i] = (struct point){ at.x + 4 * cos(i * M_PI / 12),
					  at.y + 4 * sin(i * M_PI / 12) };
	drawing_polygon(c->d, ring, 24, c->theme->accent);
	if (!is_right && at.x - width - 12 < c->left)
		return;
	style.anchor = is_right ? TEXT_START : TEXT_END;
	drawing_rectangle(c->d, at.x + (is_right ? 6 : -width - 12), y_text - LABEL, width + 6,
			  LABEL + 4, c->theme->plot);
	drawing_text(c->d, at.x + (is_right ? 9 : -9), y_text, &style, text);
}
