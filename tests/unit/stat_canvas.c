/* stat_canvas.c -- lines are those of libgd, pixel by pixel, whatever their slope and direction.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/canvas.h"

#include <gd.h>

#include "tests/lib/tap.h"

enum { SIDE = 41 };

static gdImagePtr image;
static struct canvas canvas;

/* Draw with both; the number of pixels that differ. */
static int draw_both(int x1, int y1, int x2, int y2, uint8_t color)
{
	int differing = 0;

	gdImageLine(image, x1, y1, x2, y2, color);
	canvas_line(&canvas, x1, y1, x2, y2, color);
	for (int x = 0; x < SIDE; x++) {
		for (int y = 0; y < SIDE; y++)
			differing += canvas.pixel[x * SIDE + y] != gdImageGetPixel(image, x, y);
	}
	return differing;
}

static void clear(void)
{
	memset(canvas.pixel, 0, (size_t)SIDE * SIDE);
	gdImageFilledRectangle(image, 0, 0, SIDE - 1, SIDE - 1, 0);
}

/* From the middle and from a corner to every pixel, both ways. */
static void test_slopes(void)
{
	static const int from[] = { 0, SIDE / 2, SIDE - 1 };

	for (unsigned i = 0; i < 9; i++) {
		int x1 = from[i % 3], y1 = from[i / 3], differing = 0;

		for (int x2 = 0; x2 < SIDE; x2++) {
			for (int y2 = 0; y2 < SIDE; y2++) {
				clear();
				differing += draw_both(x1, y1, x2, y2, 1);
				clear();
				differing += draw_both(x2, y2, x1, y1, 2);
			}
		}
		OK(differing == 0, "from and to (%d,%d): %d pixels differ", x1, y1, differing);
	}
}

static void test_overwriting(void)
{
	uint32_t seed = 7;
	int differing = 0, x = 0, y = 0;

	clear();
	for (int i = 0; i < 3000; i++) {
		int next_x, next_y;

		seed = seed * 1664525 + 1013904223;
		next_x = (int)(seed >> 16) % SIDE;
		next_y = (int)(seed >> 8 & 0xff) % SIDE;
		differing += draw_both(x, y, next_x, next_y, (uint8_t)(1 + i % 3));
		x = next_x;
		y = next_y;
	}
	EQ_I(differing, 0);
}

int main(void)
{
	image = gdImageCreate(SIDE, SIDE);
	for (int i = 0; i < 4; i++)
		gdImageColorAllocate(image, 60 * i, 0, 0);
	canvas_init(&canvas, SIDE, SIDE);
	test_slopes();
	test_overwriting();
	canvas_fini(&canvas);
	gdImageDestroy(image);
	return done_testing();
}
