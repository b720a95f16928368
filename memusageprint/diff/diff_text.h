/* diff_text.h -- Figures and sentences that the texts of --diff share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "cli/units.h"
#include "formats/base/bounds.h"
#include "memusageprint/diff/difference.h"

/* diff_text_amount -- Writes bytes, or a number of temporary blocks, without a sign.
 *
 * Returns TEXT.
 */
const char *diff_text_amount(const struct difference *d, char text[UNITS_LENGTH], int64_t amount);

/* diff_text_change -- Writes a change: "+2.00 MiB", "-3". Returns TEXT. */
const char *diff_text_change(const struct difference *d, char text[UNITS_LENGTH + 1],
			     int64_t change);

/* diff_text_bounds -- Writes the bounds of a change: "+- 0.1"; "" if both sides are exact.
 *
 * Returns TEXT.
 */
const char *diff_text_bounds(const struct difference *d, char text[BOUNDS_LENGTH], int64_t change,
			     const struct sampled_error *e);

/* diff_text_metric -- Returns what the figures are: "live at the end". */
const char *diff_text_metric(const struct difference *d);

/* diff_text_put_rename -- Prints "NEW was called OLD". */
void diff_text_put_rename(FILE *out, const struct comparison_rename *r);

/* diff_text_put_summary -- Prints the sums of both sides, which part of them was matched, and the
 * functions that have another name. */
void diff_text_put_summary(FILE *out, const struct difference *d);

/* diff_text_put_explanation -- Prints how places were matched and what the bounds mean. */
void diff_text_put_explanation(FILE *out, const struct difference *d);
