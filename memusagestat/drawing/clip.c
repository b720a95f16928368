/* clip.c -- Points, and how they are kept within bounds before anything is drawn.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/clip.h"

#include <math.h>

enum { PER_COLUMN = 4 };

enum { LEFT, RIGHT, TOP, BOTTOM, SIDES };

/* A point where the line crosses a side of the box: its position, as a share of the length, and the
 * side. */
struct crossing {
	double at;
	int side;
};

/* Cuts the line at one side. GROWS is how fast the line leaves the box there, ROOM the distance
 * of its start from the side. Returns whether a part is left. */
static bool cut_at_side(struct crossing *in, struct crossing *out, int side, double grows,
			double room)
{
	double at = grows != 0 ? room / grows : 0;

	if (grows == 0)
		return room >= 0;
	if (grows < 0 && at > in->at)
		*in = (struct crossing){ at, side };
	if (grows > 0 && at < out->at)
		*out = (struct crossing){ at, side };
	return in->at <= out->at;
}

/* Returns an end of the part that is left. An end inside of the box is not moved; one on a side is
 * exactly on it, however long the line is. */
static struct point clipped_end(const struct box *box, struct point start, struct point way,
				const struct crossing *end)
{
	struct point p = { start.x + end->at * way.x, start.y + end->at * way.y };

	if (end->side == LEFT || end->side == RIGHT)
		p.x = end->side == LEFT ? box->low.x : box->high.x;
	else
		p.y = end->side == TOP ? box->low.y : box->high.y;
	return clip_point(box, p);
}

bool clip_piece(const struct box *box, struct point *a, struct point *b)
{
	const struct point start = *a, way = { b->x - a->x, b->y - a->y };
	struct crossing in = { 0, SIDES }, out = { 1, SIDES };

	if (!isfinite(way.x) || !isfinite(way.y) || !isfinite(start.x) || !isfinite(start.y) ||
	    !cut_at_side(&in, &out, LEFT, -way.x, start.x - box->low.x) ||
	    !cut_at_side(&in, &out, RIGHT, way.x, box->high.x - start.x) ||
	    !cut_at_side(&in, &out, TOP, -way.y, start.y - box->low.y) ||
	    !cut_at_side(&in, &out, BOTTOM, way.y, box->high.y - start.y))
		return false;
	if (in.side != SIDES)
		*a = clipped_end(box, start, way, &in);
	if (out.side != SIDES)
		*b = clipped_end(box, start, way, &out);
	return true;
}

struct point clip_point(const struct box *box, struct point p)
{
	return (struct point){ fmin(fmax(p.x, box->low.x), box->high.x),
			       fmin(fmax(p.y, box->low.y), box->high.y) };
}

/* Copies the points of one column that stay, in their order. Returns how many. */
static size_t thin_out_column(struct point *to, const struct point *point, size_t count)
{
	size_t low = 0, high = 0, kept = 0;

	for (size_t i = 1; i < count; i++) {
		if (point[i].y < point[low].y)
			low = i;
		if (point[i].y > point[high].y)
			high = i;
	}
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || i == low || i == high || i + 1 == count)
			to[kept++] = point[i];
	}
	return kept;
}

size_t clip_to_columns(struct point *point, size_t count)
{
	size_t kept = 0, first = 0;

	for (size_t i = 1; i < count; i++)
		point[i].x = fmax(point[i].x, point[i - 1].x);
	if (count == 0 || (double)count <= PER_COLUMN * (point[count - 1].x - point[0].x))
		return count;
	for (size_t i = 1; i <= count; i++) {
		if (i < count && floor(point[i].x) == floor(point[first].x))
			continue;
		kept += thin_out_column(point + kept, point + first, i - first);
		first = i;
	}
	return kept;
}
