/* merge_spread.h -- How the processes of a merge differ at a place.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { MERGE_OUTLIERS = 8 };	/* that are kept */

#define MERGE_SPREAD_NONE UINT32_MAX	/* no group: the process is not compared */

struct merge_spread {
	uint32_t processes;	/* that are compared */
	uint32_t with;		/* ... and have anything there */
	int64_t least, median, most;
	uint32_t outliers;	/* how many there are */
	uint32_t outlier[MERGE_OUTLIERS];	/* numbers of processes, farthest first */
	int64_t outlier_value[MERGE_OUTLIERS];
	bool has_all;		/* those without anything count in the figures */
};

/* merge_spread_compute -- Compares the figures of processes.
 *
 * value  one per process.
 * group  by process: its program; outliers are found among those of one program.
 * Processes without anything count if at least half have something: otherwise the figures are of
 * those that do. An outlier is farther from the median than 3.5 * 1.4826 times the median of all
 * such distances, and than a hundredth of the median; there are none among fewer than four.
 * Cost O(n log n).
 */
void merge_spread_compute(struct merge_spread *s, const int64_t *value, const uint32_t *group,
			  uint32_t processes);
