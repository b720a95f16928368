/* canvas.c -- The pixels of the curves of glibc's graph: one byte each, column after column.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/canvas.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

void canvas_init(struct canvas *c, int width, int height)
{
	c->width = width;
	c->height = height;
	c->pixel = xcalloc((size_t)width, (size_t)height);
}

void canvas_fini(struct canvas *c)
{
	free(c->pixel);
}

/* Draws Bresenham's line: from FROM in COUNT steps of ALONG, and a step ACROSS each time that the
 * error requires one. COUNT is the length along the longer axis, SLOPE that across. */
static void draw_bresenham_line(uint8_t *from, ptrdiff_t along, ptrdiff_t across, int count,
				int slope, uint8_t color)
{
	int error = 2 * slope - count;

	*from = color;
	for (int i = 0; i < count; i++) {
		from += along;
		if (error >= 0) {
			from += across;
			error -= 2 * count;
		}
		error += 2 * slope;
		*from = color;
	}
}

void canvas_line(struct canvas *c, int x1, int y1, int x2, int y2, uint8_t color)
{
	int dx = abs(x2 - x1), dy = abs(y2 - y1);
	uint8_t *first = c->pixel + (size_t)x1 * (size_t)c->height + y1;
	uint8_t *second = c->pixel + (size_t)x2 * (size_t)c->height + y2;
	ptrdiff_t column = c->height;

	if (dx == 0)
		canvas_stroke(c, x1, y1, y2, color);
	else if (dy <= dx && x1 < x2)
		draw_bresenham_line(first, column, y1 < y2 ? 1 : -1, dx, dy, color);
	else if (dy <= dx)
		draw_bresenham_line(second, column, y2 < y1 ? 1 : -1, dx, dy, color);
	else if (y1 < y2)
		draw_bresenham_line(first, 1, x1 < x2 ? column : -column, dy, dx, color);
	else
		draw_bresenham_line(second, 1, x2 < x1 ? column : -column, dy, dx, color);
}
