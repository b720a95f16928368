/* merged_text.h -- What a merge says about its processes and machines, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/job/settings.h"
#include "profile/merge/merge.h"

/* merged_text_print -- Prints how much all held together, the sum of each machine, how their own
 * peaks differ, and a table of processes with the course of each one.
 *
 * Outliers come first, then ranks in their order, or those that held most.
 * out   of layout_open().
 * rows  of the table at most.
 */
void merged_text_print(FILE *out, const struct merge *m, const struct settings *settings,
		       uint32_t rows);
