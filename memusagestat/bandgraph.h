/* bandgraph.h -- The band graph: memory over time by place, one band above the other.
 *
 * The smallest band is at the bottom, the largest place on top, then administration and stacks.
 * Each band has a number, in the graph and in the key to its right, so that no reader needs to
 * distinguish colours. The triangles below the axis are the samples; between them lines are
 * straight.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/bands.h"
#include "memusagestat/drawing/drawing.h"
#include "memusagestat/drawing/theme.h"

/* bandgraph_draw -- Draws the whole graph.
 *
 * d      initialised with the size of the picture, and empty; at least 320 x 200 pixels, below
 *        which texts collide. Letters grow with it.
 * title  a line above the graph; NULL: "Memory by place".
 */
void bandgraph_draw(struct drawing *d, const struct bands *b, const struct theme *theme,
		    const char *title);
