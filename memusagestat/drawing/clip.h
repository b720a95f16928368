/* clip.h -- keep coordinates within bounds before anything is drawn or counted by them.
 *
 * A time, or a number of bytes, from a hostile file may lie 1e19 pixels beyond a picture. What
 * makes something of each pixel on the way (dashes, rows, columns) must not get to see that.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_DRAWING_CLIP_H
#define MEMUSAGESTAT_DRAWING_CLIP_H

#include <stdbool.h>
#include <stddef.h>

struct point {
	double x, y;
};

/* A rectangle by its corners: low.x <= high.x, low.y <= high.y. */
struct box {
	struct point low, high;
};

/* clip_piece -- cut the straight line from *A to *B down to what of it lies in the box.
 *
 * Returns false, with both ends as they were, if nothing of it does, or a coordinate is no finite
 * number. The method is Liang and Barsky's.
 */
bool clip_piece(const struct box *box, struct point *a, struct point *b);

/* clip_point -- the point of the box that is nearest to P; NaN counts as the lower bound. */
struct point clip_point(const struct box *box, struct point p);

/* clip_to_columns -- leave out points of a curve that change no pixel.
 *
 * point  COUNT of them; those that stay are moved to the front. A point to the left of an earlier
 *        one is moved to the right below it: values over time do not go back.
 * Returns how many stay: all of them if they are at most four for each pixel between the lowest and
 * the highest x, else the first, the lowest, the highest and the last of each column of pixels. So
 * a curve has as many points as its picture can show, however many it was made of.
 */
size_t clip_to_columns(struct point *point, size_t count);

#endif
