/* raster.c -- polygons to shares of pixels: how much of each is covered.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

static int clamp(double value, int low, int high)
{
	return value <= low ? low : value >= high ? high : (int)value;
}

bool raster_begin(struct raster *r, struct point low, struct point high, int width, int height)
{
	int right = clamp(ceil(high.x), 0, width), bottom = clamp(ceil(high.y), 0, height);
	size_t cells;

	r->left = clamp(floor(low.x), 0, width);
	r->top = clamp(floor(low.y), 0, height);
	r->width = right - r->left;
	r->height = bottom - r->top;
	if (r->width <= 0 || r->height <= 0)
		return false;
	cells = ((size_t)r->width + 2) * (size_t)r->height;
	if (cells > r->room) {
		r->change = xreallocarray(r->change, cells, sizeof(*r->change));
		r->room = cells;
	}
	memset(r->change, 0, cells * sizeof(*r->change));
	return true;
}

/* An edge within one row goes from X1 to X2, X1 <= X2, and down by DOWN of the row's height. */
static void add_piece(float *change, double x1, double x2, double down)
{
	int first = (int)x1, last = (int)x2;
	double slope, covered = 0;

	if (first == last) {
		double share = 1 - ((x1 + x2) / 2 - first);

		change[first] += (float)(down * share);
		change[first + 1] += (float)(down * (1 - share));
		return;
	}
	/* Down per pixel; in each pixel the edge covers a trapezium, what is right of it whole. */
	slope = down / (x2 - x1);
	for (int i = first; i <= last; i++) {
		double from = i > x1 ? i : x1, to = i + 1 < x2 ? i + 1 : x2;
		double part = slope * (to - from), share = i + 1 - (from + to) / 2;

		change[i] += (float)(part * share + covered);
		covered = part * (1 - share);
	}
	change[last + 1] += (float)covered;
}

/* An edge that goes down from FROM to TO, in coordinates of the box. What is beyond its sides has
 * been cut off; the clamping only catches rounding. */
static void add_inner(struct raster *r, struct point from, struct point to, double sign)
{
	double slope = (to.x - from.x) / (to.y - from.y);
	double top = fmax(from.y, 0), bottom = fmin(to.y, r->height);

	for (int row = (int)top; row < bottom; row++) {
		double y1 = fmax(top, row), y2 = fmin(bottom, row + 1);
		double x1 = fmin(fmax(from.x + (y1 - from.y) * slope, 0), r->width);
		double x2 = fmin(fmax(from.x + (y2 - from.y) * slope, 0), r->width);

		add_piece(r->change + (size_t)row * ((size_t)r->width + 2), fmin(x1, x2),
			  fmax(x1, x2), sign * (y2 - y1));
	}
}

/* What is left of the box covers whole rows of it, what is right of it nothing. */
static void add_edge(struct raster *r, struct point from, struct point to, double sign)
{
	const double side[2] = { 0, r->width };

	for (int i = 0; i < 2; i++) {
		double x = side[i];

		if ((from.x < x && to.x > x) || (from.x > x && to.x < x)) {
			double y = from.y + (x - from.x) * ((to.y - from.y) / (to.x - from.x));
			struct point middle = { x, fmin(fmax(y, from.y), to.y) };

			add_edge(r, from, middle, sign);
			add_edge(r, middle, to, sign);
			return;
		}
		if (i == 0 ? from.x <= x && to.x <= x : from.x >= x && to.x >= x)
			from.x = to.x = x;
	}
	if (to.y > from.y)
		add_inner(r, from, to, sign);
}

void raster_polygon(struct raster *r, const struct point *point, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct point a = point[i], b = point[i + 1 < count ? i + 1 : 0];

		a.x -= r->left, a.y -= r->top;
		b.x -= r->left, b.y -= r->top;
		if (!isfinite(a.x + a.y + b.x + b.y) || a.y == b.y)
			continue;
		if (a.y < b.y)
			add_edge(r, a, b, 1);
		else
			add_edge(r, b, a, -1);
	}
}

void raster_row(const struct raster *r, int row, float *coverage)
{
	const float *change = r->change + (size_t)row * ((size_t)r->width + 2);
	float sum = 0;

	for (int i = 0; i < r->width; i++) {
		float covered;

		sum += change[i];
		covered = fabsf(sum);
		/* What rounding leaves of nothing, or lacks of everything. */
		coverage[i] = covered > 0.999f ? 1 : covered < 0.001f ? 0 : covered;
	}
}

void raster_fini(struct raster *r)
{
	free(r->change);
	*r = (struct raster){ .width = 0 };
}
