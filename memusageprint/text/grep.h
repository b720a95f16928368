/* grep.h -- Restricts reports to stacks with a text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "profile/model/filter.h"
#include "profile/read/sites.h"

/* grep_weights -- Removes the weights of sites without TEXT on their stack.
 *
 * out     the report.
 * f       of the profile with all frames.
 * weight  one per site, changed.
 * text  a part of the full name of a function, source file or object; NULL: all sites keep their
 *       weight.
 * Returns false if that removes all of them, and there were some; OUT gets a line that says so.
 * Cost O(names of all places + frames of all stacks).
 */
bool grep_weights(FILE *out, const struct filter *f, struct weight *weight, const char *text);
