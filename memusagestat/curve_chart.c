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

enum { LEFT = 84, RIGHT = 24, BELOW = 56, BETWEEN = 44, LEGEND = 22 };

static double highest_value(const struct chart_curve *line)
{
	double most = 0;

	for (size_t i = 0; i < line->count; i++)
		most = fmax(most, line->y[i]);
	return most;
}

static void mark_highest_peak(const struct chart *chart, const struct chart_curve *line,
			      chart_label_fn x_label)
{
	size_t at = 0;
	char value[CHART_LABEL], when[CHART_LABEL], text[2 * CHART_LABEL + 20];

	for (size_t i = 0; i < line->count; i++) {
		if (line->y[i] > line->y[at])
			at = i;
	}
	if (line->count == 0 || line->y[at] <= 0)
		return;
	snprintf(text, sizeof(text), "peak %s at %s", chart_bytes(value, line->y[at], NULL),
		 x_label(when, line->x[at], NULL));
	chart_peak(chart, line->x[at], line->y[at], text);
}

static void draw_stack_chart(struct chart chart, const struct curve_chart *c, double top,
			     double height)
{
	chart.top = top;
	chart.height = height;
	chart.y_end = fmax(highest_value(&c->stack), 1) * 1.15;
	chart_axes(&chart, c->x_label, chart_bytes, c->caption);
	chart_curve(&chart, &c->stack);
	chart_legend(&chart, &c->stack, 1);
}

void curve_chart_draw(struct drawing *d, const struct curve_chart *c, const struct theme *theme,
		      struct point size)
{
	struct chart chart = { .d = d, .theme = theme, .left = LEFT, .x_end = c->x_end };
	double most = 1, room, stack;

	drawing_init(d, size.x, size.y, theme->background);
	chart.top = chart_title(d, theme, c->title, c->subtitle) + LEGEND;
	chart.width = size.x - LEFT - RIGHT;
	room = size.y - chart.top - BELOW;
	stack = c->stack.count ? fmax(room * 0.2, 30) : 0;
	chart.height = fmax(room - stack - (stack > 0 ? BETWEEN : 0), 20);
	for (size_t i = 0; i < c->lines; i++)
		most = fmax(most, highest_value(&c->line[i]));
	chart.y_end = most * 1.14;
	chart_axes(&chart, stack > 0 ? NULL : c->x_label, chart_bytes,
		   stack > 0 ? NULL : c->caption);
	for (size_t i = c->lines; i-- > 0;)
		chart_curve(&chart, &c->line[i]);
	if (c->lines)
		mark_highest_peak(&chart, &c->line[0], c->x_label);
	chart_legend(&chart, c->line, c->lines);
	if (stack > 0)
		draw_stack_chart(chart, c, size.y - BELOW - stack, stack);
}
