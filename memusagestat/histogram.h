/* histogram.h -- Draws how many blocks of each size a program asked for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusagestat/drawing/drawing.h"
#include "memusagestat/drawing/theme.h"
#include "profile/read/counters.h"

/* histogram_draw -- Draws a bar for each class of sizes, with its figures.
 *
 * d     initialised here; release it with drawing_fini().
 * size  pixels; a height of 0 is what the bars need.
 */
void histogram_draw(struct drawing *d, const struct counters *c, const struct theme *theme,
		    const char *title, struct point size);
