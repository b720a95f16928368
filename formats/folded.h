/* folded.h -- Writes folded stacks, the input of flame graphs.
 *
 *	main;load;read_line 40960
 *
 * One line per stack, outermost function first, then a blank and its weight. Inlined calls are
 * functions like any other. Code without a name is "[libfoo.so]" or "[unknown]". A ';' in a name
 * becomes '_'.
 *
 * Read by flamegraph.pl, inferno, speedscope, Pyroscope.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "formats/export.h"

/* folded_write -- write the stacks of a metric.
 *
 * weight     one per site, from sites_weigh(); what weighs nothing is left out.
 * by_blocks  weights are blocks, not bytes.
 * Errors of OUT stay with it.
 */
void folded_write(FILE *out, const struct export *e, const struct weight *weight, bool by_blocks);
