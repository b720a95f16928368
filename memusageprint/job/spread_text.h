/* spread_text.h -- How the processes of a merge differ at a place, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "profile/merge/merge.h"
#include "profile/read/sites.h"

/* spread_text_compute -- Compares the processes at COUNT places, as merge_spreads(), in the figure
 * of a list. Dies if the file of the merge cannot be read. */
void spread_text_compute(struct merge *m, enum metric_kind kind, const uint32_t *place,
			 struct merge_spread *spread, uint32_t count);

/* spread_text_put -- Prints it without a newline, to a stream of layout_open():
 *
 *	in 8 processes: least 96.2 MiB, median 101 MiB, most 180 MiB; outlier: rank 5 on node2
 *
 * by_blocks  figures are blocks, not bytes.
 */
void spread_text_put(FILE *out, const struct merge *m, const struct merge_spread *s,
		     bool by_blocks);
