/* stat_raster.c -- polygons cover the share of each pixel that geometry says, cut off or not.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/raster.h"

#include <math.h>

#include "tests/lib/tap.h"

enum { SIDE = 12 };

struct box {
	float pixel[SIDE][SIDE];
	double sum;
};

static struct box cover(const struct point *point, size_t count)
{
	struct raster r = { .width = 0 };
	struct box box = { .sum = 0 };
	float row[SIDE];

	if (raster_begin(&r, (struct point){ -100, -100 }, (struct point){ 100, 100 }, SIDE, SIDE)) {
		raster_polygon(&r, point, count);
		for (int y = 0; y < r.height; y++) {
			raster_row(&r, y, row);
			for (int x = 0; x < r.width; x++) {
				box.pixel[y][x] = row[x];
				box.sum += (double)row[x];
			}
		}
	}
	raster_fini(&r);
	return box;
}

static void test_rectangles(void)
{
	static const struct { double x1, y1, x2, y2, area; } cases[] = {
		{ 2, 3, 7, 9, 30 }, { 0, 0, 12, 12, 144 }, { 1.25, 1.5, 1.75, 1.75, 0.125 },
		{ -5, -5, 3, 3, 9 }, { 10, 10, 99, 99, 4 }, { -9, 2, 90, 4.5, 30 },
		{ 20, 1, 30, 5, 0 }, { -30, 1, -20, 5, 0 }, { 1, 20, 5, 30, 0 }, { 3, 3, 3, 9, 0 },
		{ 0.5, 0.5, 11.5, 11.5, 121 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct point p[] = { { cases[i].x1, cases[i].y1 }, { cases[i].x2, cases[i].y1 },
					   { cases[i].x2, cases[i].y2 }, { cases[i].x1, cases[i].y2 } };
		const struct point turned[] = { p[3], p[2], p[1], p[0] };

		EQ_D(cover(p, 4).sum, cases[i].area, 0.01);
		EQ_D(cover(turned, 4).sum, cases[i].area, 0.01);
	}
}

static void test_pixels(void)
{
	const struct point square[] = { { 2.25, 3.5 }, { 5, 3.5 }, { 5, 6 }, { 2.25, 6 } };
	const struct point triangle[] = { { 0, 0 }, { 4, 0 }, { 0, 4 } };
	struct box b = cover(square, 4);

	EQ_D((double)b.pixel[3][2], 0.375, 1e-4);
	EQ_D((double)b.pixel[4][2], 0.75, 1e-4);
	EQ_D((double)b.pixel[4][3], 1, 1e-4);
	EQ_D((double)b.pixel[4][5], 0, 1e-4);
	EQ_D((double)b.pixel[2][3], 0, 1e-4);
	b = cover(triangle, 3);
	EQ_D(b.sum, 8, 0.01);
	EQ_D((double)b.pixel[0][3], 0.5, 1e-4);
	EQ_D((double)b.pixel[0][0], 1, 1e-4);
	EQ_D((double)b.pixel[3][3], 0, 1e-4);
}

/* Against the share of a fine grid of points that lies inside. */
static void test_random(void)
{
	unsigned int state = 1, differ = 0;

	for (int round = 0; round < 200; round++) {
		struct point p[3];
		struct box b;
		double sum = 0;

		for (int i = 0; i < 3; i++) {
			state = state * 1103515245 + 12345;
			p[i].x = (state >> 8 & 0xfff) / 4096.0 * 20 - 4;
			state = state * 1103515245 + 12345;
			p[i].y = (state >> 8 & 0xfff) / 4096.0 * 20 - 4;
		}
		b = cover(p, 3);
		for (int y = 0; y < SIDE * 8; y++)
			for (int x = 0; x < SIDE * 8; x++) {
				double px = (x + 0.5) / 8, py = (y + 0.5) / 8;
				int inside = 0;

				for (int i = 0; i < 3; i++) {
					const struct point *a = &p[i], *c = &p[(i + 1) % 3];

					inside += (c->x - a->x) * (py - a->y) >
						  (c->y - a->y) * (px - a->x) ? 1 : -1;
				}
				sum += inside == 3 || inside == -3 ? 1.0 / 64 : 0;
			}
		if (fabs(sum - b.sum) > 0.5)
			differ++;
	}
	EQ_U(differ, 0);
}

static void test_nonsense(void)
{
	const struct point p[] = { { NAN, 0 }, { 5, INFINITY }, { 3, 3 }, { 1e300, -1e300 } };

	cover(p, 4);
	PASS("numbers that are none do no harm");
}

int main(void)
{
	test_rectangles();
	test_pixels();
	test_random();
	test_nonsense();
	return done_testing();
}
