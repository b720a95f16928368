/* flame.h -- Draws a call tree as a flame graph: callers below callees, as wide as what they hold.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/page/page_tree.h"
#include "memusagestat/drawing/drawing.h"
#include "memusagestat/drawing/theme.h"
#include "profile/read/site_errors.h"

/* The values of a box in two files; its width is the larger one, its colour the change. */
struct flame_change {
	const int64_t *old, *new;	/* per site */
	const struct sampled_error *error;	/* per site, of the changes; NULL: exact */
	double distance;		/* mean bytes between two sampled blocks; 0: exact */
};

struct flame {
	const struct page_tree *tree;
	const struct page_sites *sites;
	enum page_metric metric;
	const char *title, *what;	/* "live at the peak" */
	const struct flame_change *change;	/* NULL: of one file */
	double width, height;		/* pixels; height 0: as high as the calls, at most 4000 */
};

/* flame_draw -- Draws the graph, the outermost caller at the bottom.
 *
 * d  initialised here; release it with drawing_fini().
 * A low picture has low frames, without names if they have no room. Frames narrower than half a
 * pixel are left out, and the upper end of a narrow tower that is higher than all wide ones. Dies
 * without memory.
 */
void flame_draw(struct drawing *d, const struct flame *f, const struct theme *theme);
