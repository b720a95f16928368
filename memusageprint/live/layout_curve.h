/* layout_curve.h -- The lines of the curve of a live view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/live/layout.h"

/* layout_curve_lines -- Draws bars up to the heap, and a lighter mark up to the resident memory.
 *
 * rows  of the curve, at least 2; ROWS + 1 texts are stored at LINE, the last is the time axis.
 */
void layout_curve_lines(const struct live_curve *c, const struct live_size *size, unsigned int rows,
			char **line);
