/* diff_exports.h -- A comparison in the formats of other programs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "memusageprint/diff/difference.h"

/* diff_exports_has -- Tells whether a format of --to can have a comparison. */
bool diff_exports_has(const char *format);

/* diff_exports_write -- Writes the comparison in the format of the settings.
 *
 * d  after difference_open(); other metrics are weighed.
 * Folded stacks have the metric of --tree. Returns 0, or -1 after a warning.
 */
int diff_exports_write(FILE *out, struct difference *d, const struct settings *settings);
