/* graph.h -- Draws memory over time in characters.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/massif.h"

enum { GRAPH_SIDE_MIN = 4, GRAPH_SIDE_MAX = 1000 };

/* graph_print -- Draws a profile with axes and labels, as ms_print does.
 *
 * m        with at least one snapshot.
 * columns  of the graph, without the axis and its labels; within the limits above.
 * rows     of the graph, within the same limits.
 * Each snapshot is a bar: '#' the peak, '@' one with a tree, ':' one without. The top of a bar
 * continues up to the next bar. A bar never hides one of a stronger mark.
 */
void graph_print(FILE *out, const struct massif_file *m, unsigned columns, unsigned rows);
