/* curve_chart.c -- The memory of a run over time, in the light or dark theme.
 *
 * The stack has a chart of its own below that of the heap: in the same scale it would be a line on
 * the axis.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/curve_chart.h"

#include <math.h>
#include <stdio.h>

enum {
	USUAL_WIDTH = 1000, USUAL_HEIGHT = 560,
	LEFT = 84, RIGHT = 24, BELOW = 56, BETWEEN = 44,
	/* Without labels, in a picture of less than the least sizes: */
	EDGE = 8, LABELS_LEAST_WIDTH = 240, LABELS_LEAST_HEIGHT = 140, STACK_LEAST_HEIGHT = 280,
};

static double highest_value(const struct chart_curve *line)
{
	double most = 0;

	for (size_t i = 0; i < line->count; i++)
		most = fmax(most, line->y[i]);
	return most;
}

/* "peak 11.8 MiB at 2.5 s", "peak 11.8 MiB after 1.374 M calls" */
static void mark_highest_peak(const struct chart *chart, const struct chart_curve *line,
			      const struct curve_chart *c)
{
	size_t at = 0;
	char value[CHART_LABEL], when[CHART_LABEL], text[2 * CHART_LABEL + 80];

	for (size_t i = 0; i < line->count; i++) {
		if (line->y[i] > line->y[at])
			at = i;
	}
	if (line->count == 0 || line->y[at] <= 0)
		return;
	snprintf(text, sizeof(text), "peak %s %s %s%s%s", chart_bytes(value, line->y[at], NULL),
		 c->x_what ? "after" : "at", c->x_label(when, line->x[at], NULL),
		 c->x_what ? " " : "", c->x_what ? c->x_what : "");
	chart_peak(chart, line->x[at], line->y[at], text);
}

/* Draws the axes and the curves of one of the two charts. */
static void draw_lines(const struct chart *chart, const struct curve_chart *c,
		       const struct chart_curve *line, size_t count, bool has_x_labels)
{
	bool has_labels = chart->left > EDGE;

	chart_axes(chart, has_x_labels && has_labels ? c->x_label : NULL,
		   has_labels ? chart_bytes : NULL, has_x_labels && has_labels ? c->caption : NULL);
	for (size_t i = count; i-- > 0;)
		chart_curve(chart, &line[i]);
}

static void draw_stack_chart(struct chart chart, const struct curve_chart *c, double top,
			     double height)
{
	chart.top = top;
	chart.height = height;
	chart.y_end = fmax(highest_value(&c->stack), 1) * 1.15;
	draw_lines(&chart, c, &c->stack, 1, true);
	chart_legend(&chart, &c->stack, 1);
}

/* Returns the height of the legend, 0 if it would take more than a sixth of the picture. */
static double legend_height(const struct chart *chart, const struct curve_chart *c)
{
	double height = chart_legend_rows(chart, c->line, c->lines) * CHART_LEGEND_ROW;

	return height <= chart->d->height / 6 ? height : 0;
}

void curve_chart_draw(struct drawing *d, const struct curve_chart *c, const struct theme *theme,
		      struct point size)
{
	const struct point usual = { USUAL_WIDTH, USUAL_HEIGHT };
	struct chart chart = { .d = d, .theme = theme, .left = EDGE, .x_end = c->x_end };
	double most = 1, room, stack = 0, legend = 0, right = EDGE, below = EDGE;

	drawing_init_scaled(d, size, drawing_scale(size, usual), theme->background);
	chart.top = fmax(chart_title(d, theme, c->title, c->subtitle), EDGE);
	if (d->width >= LABELS_LEAST_WIDTH && d->height >= LABELS_LEAST_HEIGHT) {
		chart.left = LEFT;
		legend = legend_height(&chart, c);
		right = RIGHT;
		below = BELOW;
	}
	chart.top += legend;
	chart.width = d->width - chart.left - right;
	room = d->height - chart.top - below;
	if (c->stack.count && d->height >= STACK_LEAST_HEIGHT)
		stack = fmax(room * 0.2, 30);
	chart.height = room - stack - (stack > 0 ? BETWEEN : 0);
	for (size_t i = 0; i < c->lines; i++)
		most = fmax(most, highest_value(&c->line[i]));
	chart.y_end = most * 1.14;
	draw_lines(&chart, c, c->line, c->lines, stack == 0);
	if (legend > 0)
		chart_legend(&chart, c->line, c->lines);
	if (c->lines)
		mark_highest_peak(&chart, &c->line[0], c);
	if (stack > 0)
		draw_stack_chart(chart, c, d->height - below - stack, stack);
}
