/* bandgraph.h -- memory over time by place, one band above the other, as a drawing.
 *
 * The smallest band is at the bottom, the largest place on top, then administration and stacks.
 * Each band has a number, in the graph and in the key beside it, so that nobody has to tell
 * colours apart. The triangles below the axis are the samples; between them lines are straight.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_BANDGRAPH_H
#define MEMUSAGESTAT_BANDGRAPH_H

#include "formats/bands.h"
#include "memusagestat/drawing/drawing.h"
#include "memusagestat/drawing/theme.h"

/* bandgraph_draw -- lay out the whole picture.
 *
 * d      initialised with the size of the picture, and empty; 320 x 200 pixels at least make
 *        sense. Letters grow with it.
 * title  a line above it; NULL: none.
 */
void bandgraph_draw(struct drawing *d, const struct bands *b, const struct theme *theme,
		    const char *title);

#endif
