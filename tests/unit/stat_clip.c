/* stat_clip.c -- Lines are cut to a box, and curves to few points, whatever the numbers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/clip.h"

#include <math.h>
#include <stdlib.h>

#include "tests/lib/tap.h"

static const struct box box = { { 10, 20 }, { 110, 70 } };

static void test_pieces(void)
{
	static const struct {
		struct point a, b;		/* of the line */
		bool is_there;
		struct point from, to;		/* what of it */
	} cases[] = {
		{ { 20, 30 }, { 40, 60 }, true, { 20, 30 }, { 40, 60 } },
		{ { 10, 20 }, { 110, 70 }, true, { 10, 20 }, { 110, 70 } },
		{ { 0, 45 }, { 200, 45 }, true, { 10, 45 }, { 110, 45 } },
		{ { 60, -1e19 }, { 60, 1e19 }, true, { 60, 20 }, { 60, 70 } },
		{ { 60, 1e19 }, { 60, 45 }, true, { 60, 70 }, { 60, 45 } },
		{ { 0, 10 }, { 20, 30 }, true, { 10, 20 }, { 20, 30 } },
		{ { 0, 40 }, { 5, 50 }, false, { 0, 0 }, { 0, 0 } },
		{ { 0, 60 }, { 60, 200 }, false, { 0, 0 }, { 0, 0 } },
		{ { 50, 50 }, { 50, 50 }, true, { 50, 50 }, { 50, 50 } },
		{ { 5, 50 }, { 5, 50 }, false, { 0, 0 }, { 0, 0 } },
		{ { NAN, 50 }, { 50, 50 }, false, { 0, 0 }, { 0, 0 } },
		{ { 50, -INFINITY }, { 50, 50 }, false, { 0, 0 }, { 0, 0 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct point a = cases[i].a, b = cases[i].b;

		EQ_I(clip_piece(&box, &a, &b), cases[i].is_there);
		if (!cases[i].is_there)
			continue;
		EQ_D(a.x, cases[i].from.x, 1e-9);
		EQ_D(a.y, cases[i].from.y, 1e-9);
		EQ_D(b.x, cases[i].to.x, 1e-9);
		EQ_D(b.y, cases[i].to.y, 1e-9);
	}
}

static void test_points(void)
{
	EQ_D(clip_point(&box, (struct point){ 50, 1e300 }).y, 70, 0);
	EQ_D(clip_point(&box, (struct point){ -INFINITY, 30 }).x, 10, 0);
	EQ_D(clip_point(&box, (struct point){ NAN, 30 }).x, 10, 0);
	EQ_D(clip_point(&box, (struct point){ 50, 30 }).x, 50, 0);
}

/* A million points on 100 pixels, of which one alone is high and one low. */
static void test_columns(void)
{
	enum { COUNT = 1000000 };
	struct point *p = calloc(COUNT, sizeof(*p));
	size_t kept, high = 0, low = 0;

	for (size_t i = 0; p && i < COUNT; i++)
		p[i] = (struct point){ 100.0 * (double)i / COUNT, i % 2 ? 30 : 40 };
	p[123457].y = 99;
	p[654321].y = 1;
	kept = clip_to_columns(p, COUNT);
	IN_U(kept, 200, 404);
	for (size_t i = 0; i < kept; i++) {
		high += p[i].y == 99;
		low += p[i].y == 1;
	}
	EQ_U(high, 1);
	EQ_U(low, 1);
	EQ_D(p[0].x, 0, 0);
	EQ_D(p[kept - 1].x, 100.0 * (COUNT - 1) / COUNT, 1e-9);
	free(p);
}

static void test_order(void)
{
	struct point few[] = { { 10, 1 }, { 50, 2 }, { 20, 3 }, { 90, 4 } };

	EQ_U(clip_to_columns(few, 4), 4);
	EQ_D(few[2].x, 50, 0);
	EQ_D(few[3].x, 90, 0);
	EQ_U(clip_to_columns(few, 0), 0);
}

int main(void)
{
	test_pieces();
	test_points();
	test_columns();
	test_order();
	return done_testing();
}
