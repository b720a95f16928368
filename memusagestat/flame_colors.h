/* flame_colors.h -- The colours of a flame graph's boxes, which are those of the HTML page.
 *
 * Programs and libraries have a hue each, those with the widest boxes at the peak the hues that are
 * farthest apart; functions of a run-time are grey. page/src/colors.js does the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/page/page_tree.h"

struct flame_colors {
	const struct page_tree *tree;
	uint32_t *rank;		/* by number of the object's text; private */
	bool is_dark;
};

/* flame_colors_init -- Ranks the objects of a tree.
 *
 * tree  borrowed until flame_colors_free().
 * sum   of each node and all below it, in the metric that decides.
 * Dies without memory.
 */
void flame_colors_init(struct flame_colors *c, const struct page_tree *tree, const int64_t *sum,
		       bool is_dark);

/* flame_colors_of -- Returns the colour of a place, 0xRRGGBB. */
uint32_t flame_colors_of(const struct flame_colors *c, const struct page_place *place);

/* flame_colors_free -- Releases the ranks. */
void flame_colors_free(struct flame_colors *c);
