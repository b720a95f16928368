/* raster.h -- polygons to shares of pixels: how much of each is covered.
 *
 * The area that an edge leaves to its right is added up pixel by pixel, as a change from the
 * pixel before; one sum along each row then gives the coverage of every pixel, exactly, in one
 * pass over the edges and one over the box.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_DRAWING_RASTER_H
#define MEMUSAGESTAT_DRAWING_RASTER_H

#include <stddef.h>

#include "memusagestat/drawing/drawing.h"

/* A box of pixels. Zeroed, it is empty; memory is kept from one use to the next. */
struct raster {
	int left, top, width, height;
	float *change;		/* (width + 2) x height */
	size_t room;		/* private */
};

/* raster_begin -- an empty box: what lies between LOW and HIGH and within WIDTH x HEIGHT pixels
 * of a picture. Dies without memory. Returns whether anything is left. */
bool raster_begin(struct raster *r, struct point low, struct point high, int width, int height);

/* raster_polygon -- add a polygon of COUNT points; what lies outside of the box is cut off.
 *
 * Polygons that overlap unite if they go around in the same sense.
 */
void raster_polygon(struct raster *r, const struct point *point, size_t count);

/* raster_row -- coverage of a row of the box: WIDTH numbers from 0 to 1, to COVERAGE.
 *
 * row  counts from the top of the box.
 */
void raster_row(const struct raster *r, int row, float *coverage);

/* raster_fini -- release the memory. */
void raster_fini(struct raster *r);

#endif
