/* clip.h -- Points, and how they are kept within bounds before anything is drawn.
 *
 * A time, or a number of bytes, from a hostile file may be 1e19 pixels outside of a picture. Code
 * that takes a step for each pixel, dash, row or column would not end with such a coordinate.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct point {
	double x, y;
};

/* A rectangle by its corners: low.x <= high.x, low.y <= high.y. */
struct box {
	struct point low, high;
};

/* clip_piece -- Cuts the straight line from *A to *B down to its part in the box.
 *
 * Returns false, with both ends as they were, if no part is in the box, or if a coordinate is not
 * finite. The method is Liang and Barsky's.
 */
bool clip_piece(const struct box *box, struct point *a, struct point *b);

/* clip_point -- Returns the point of the box nearest to P; NaN counts as the lower bound. */
struct point clip_point(const struct box *box, struct point p);

/* clip_to_columns -- Removes the points of a curve that change no pixel.
 *
 * point  COUNT points; those that stay are moved to the front. A point to the left of an earlier
 *        one gets the x of that one: values over time do not go back.
 * Returns how many stay: all of them if they are at most four for each pixel between the lowest and
 * the highest x, else the first, the lowest, the highest and the last of each column of pixels. So
 * the number of points is bounded by the picture, not by the input.
 */
size_t clip_to_columns(struct point *point, size_t count);
