/* merge_overview.h -- The processes and machines of a merge in the order in which reports list
 * them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/merge/merge.h"

enum { MERGE_HOSTS = 64 };	/* machines that are listed */

struct merge_overview {
	struct merge_spread peaks;	/* of the peaks of processes */
	uint32_t *order;		/* all processes: outliers, then ranks, or by their peaks */
	bool has_ranks, has_hosts;
	uint32_t *host_of;		/* by process: which of the machines, or HOSTS */
	uint32_t hosts;
	uint32_t host[MERGE_HOSTS];	/* texts of the merge, 0: unknown; as they come */
	int64_t peaks_sum;		/* bytes of the peaks of all processes */
};

/* merge_overview_init -- Compares the peaks of all processes.
 *
 * o  overwritten; the caller calls merge_overview_free().
 * Cost O(n log n).
 */
void merge_overview_init(struct merge_overview *o, const struct merge *m);

/* merge_overview_is_outlier -- Tells whether the peak of a process is one of the outliers that are
 * named. */
bool merge_overview_is_outlier(const struct merge_overview *o, uint32_t process);

/* merge_overview_free -- Releases it. Accepts a zeroed struct. */
void merge_overview_free(struct merge_overview *o);
