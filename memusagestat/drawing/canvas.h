/* canvas.h -- The pixels of the curves of glibc's graph: one byte each, column after column.
 *
 * A long run has thousands of events in one column of pixels, and each is a vertical stroke
 * that may cover the one before. With the pixels of a column next to each other such a stroke is
 * a memset: every event is drawn, no extreme is lost, and 10 million of them take 0.2 s.
 *
 * Coordinates are those of the plot: column 0 is its left edge, row 0 its top.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <string.h>

struct canvas {
	int width, height;
	uint8_t *pixel;		/* pixel[column * height + row]; 0: nothing was drawn */
};

/* canvas_init -- Makes an empty canvas; dies without memory. */
void canvas_init(struct canvas *c, int width, int height);

/* canvas_fini -- Releases the pixels. */
void canvas_fini(struct canvas *c);

/* canvas_line -- Draws a line one pixel wide between two points inside the canvas.
 *
 * The pixels are those of libgd's gdImageLine(): Bresenham's from the end with the smaller
 * coordinate on the longer axis, whatever the order of the points.
 * Source libgd 2.3.3, compared over all slopes by tests/unit/stat_canvas.c.
 */
void canvas_line(struct canvas *c, int x1, int y1, int x2, int y2, uint8_t color);

/* canvas_stroke -- Draws canvas_line() within one column. */
static inline void canvas_stroke(struct canvas *c, int x, int y1, int y2, uint8_t color)
{
	int top = y1 < y2 ? y1 : y2;
	int count = (y1 < y2 ? y2 - y1 : y1 - y2) + 1;
	uint8_t *p = c->pixel + (size_t)x * (size_t)c->height + top;

	/* Most strokes are short, and a call of memset costs more than such a stroke. */
	if (count > 8) {
		memset(p, color, (size_t)count);
		return;
	}
	do {
		*p++ = color;
	} while (--count > 0);
}
