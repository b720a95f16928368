/* graph.h -- the picture of a profile in characters: memory over time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_GRAPH_H
#define MEMUSAGEPRINT_TEXT_GRAPH_H

#include <stdio.h>

#include "formats/massif.h"

enum { GRAPH_SIDE_MIN = 4, GRAPH_SIDE_MAX = 1000 };

/* graph_print -- draw it, with axes and labels, as ms_print does.
 *
 * m        with at least one snapshot.
 * columns  of the graph, without the axis and its labels; within the limits above.
 * rows     likewise.
 * Each snapshot is a bar: '#' the peak, '@' with a tree, ':' without; its height is drawn on up
 * to the next bar. A bar never hides a stronger one.
 */
void graph_print(FILE *out, const struct massif_file *m, unsigned columns, unsigned rows);

#endif
