/* histogram.h -- how many blocks of which size a program asked for, as a picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_HISTOGRAM_H
#define MEMUSAGESTAT_HISTOGRAM_H

#include "memusagestat/drawing/drawing.h"
#include "memusagestat/drawing/theme.h"
#include "profile/read/counters.h"

/* histogram_draw -- draw a bar for each class of sizes, with its figures.
 *
 * d              initialised here; drawing_fini() it.
 * width, height  pixels; a height of 0 is what the bars need.
 */
void histogram_draw(struct drawing *d, const struct counters *c, const struct theme *theme,
		    const char *title, struct point size);

#endif
