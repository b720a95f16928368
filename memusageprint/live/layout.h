/* layout.h -- The lines of a live view for a terminal of any size.
 *
 * Pure: the same view and size give the same lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "memusageprint/live/view.h"

/* How text looks up to the next mark or the end of the line. No name has such characters. */
#define LIVE_PLAIN "\020"
#define LIVE_STRONG "\016"	/* what matters most */
#define LIVE_TITLE "\017"	/* columns of a table */
#define LIVE_BAR "\021"		/* the curve */
#define LIVE_BAND "\022"	/* the first and the last line, the selected row */

enum {
	LIVE_WIDTH_MIN = 40, LIVE_HEIGHT_MIN = 8,
	LIVE_WIDTH_MAX = 1000, LIVE_HEIGHT_MAX = 1000
};

/* Columns and rows of a terminal, and whether it can show characters beyond ASCII. */
struct live_size {
	unsigned int width, height;
	bool has_utf8;
};

/* layout_lines -- Lays the view out.
 *
 * v     its first row and visible rows are set so that the selected row can be seen.
 * line  receives size->height texts, to be freed; none is wider than the terminal. In a terminal
 *       below LIVE_WIDTH_MIN x LIVE_HEIGHT_MIN they only say that it is too small.
 */
void layout_lines(struct view *v, const struct live_size *size, char **line);

/* layout_print -- Prints figures and all rows as text without marks, names not shortened. */
void layout_print(FILE *out, const struct view *v);
