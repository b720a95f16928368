/* cells.h -- The columns of a live view's table, and the texts in them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cli/units.h"
#include "formats/base/bounds.h"
#include "memusageprint/live/view.h"

/* Columns that every figure fits into, with a sign. */
enum { CELL_WIDTH = 9, BOUNDS_WIDTH = 11 };

/* cells_title -- Returns the title of a column in the table of the view. */
const char *cells_title(const struct view *v, enum live_column column);

/* cells_figure -- Writes the figure of a row in a column that is not LIVE_NAME. Returns TEXT. */
const char *cells_figure(char text[UNITS_LENGTH + 1], const struct live_row *row,
			 enum live_column column);

/* cells_have_bounds -- Tells whether the live bytes of the table are estimates, whose 95 % bounds
 * have a column. */
bool cells_have_bounds(const struct view *v);

/* cells_bounds -- Writes the bounds of a row's live bytes, "+- 3.1"; nothing where there are none.
 *
 * Returns TEXT, of at most BOUNDS_WIDTH columns.
 */
const char *cells_bounds(char text[BOUNDS_LENGTH], const struct view *v,
			 const struct live_row *row);

/* cells_name -- Returns the name of a row in at most WIDTH columns, to be freed.
 *
 * width     0: no limit. A function gives way to its source line while enough of it is left.
 * has_utf8  lines of a tree may be characters beyond ASCII.
 */
char *cells_name(const struct view *v, const struct live_row *row, unsigned int width,
		 bool has_utf8);

/* cells_cut -- Returns a text cut to at most WIDTH columns, to be freed. */
char *cells_cut(const char *text, unsigned int width);
