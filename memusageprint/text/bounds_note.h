/* bounds_note.h -- What the bounds in a report mean.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

/* bounds_note_put -- Prints what bounds mean, and how much a place may have of which no block was
 * sampled.
 *
 * out       a layout_open() stream; errors stay with it.
 * distance  from sampled_mean_distance(); 0: the report has no bounds, and nothing is printed.
 * unseen    what such a place has at most, in bytes, as from sampled_bytes_unseen_in().
 */
void bounds_note_put(FILE *out, double distance, double unseen);
