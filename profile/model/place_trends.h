/* place_trends.h -- Judges the memory of places over the snapshots of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/model/trend.h"
#include "profile/read/image.h"
#include "profile/read/site_errors.h"
#include "profile/read/sites.h"

#define PLACE_NONE UINT32_MAX	/* the site belongs to no place that is to be judged */

enum { PLACE_TRENDS_MAX = 1 << 15 };	/* places that are judged: 32 MiB of values */

/* place_trends_judge -- Judges places.
 *
 * trend   one for each of COUNT places, overwritten. Places from PLACE_TRENDS_MAX on have none.
 * place   the place of each site, below COUNT, or PLACE_NONE. Sites that do not count are skipped.
 * errors  from site_errors_load(), or NULL: changes within the bounds of estimates are none.
 * by_bytes  snapshots were taken by the byte clock (--time-unit=B), which then is the time.
 * About 100 of many snapshots with values are used, at equal distances.
 * Cost O(values of these snapshots + places).
 */
void place_trends_judge(enum trend *trend, const uint32_t *place, uint32_t count,
			const struct sites *sites, const struct image *im,
			const struct site_errors *errors, bool by_bytes);

/* Resident memory that rises while the heap does not. */
struct resident_rise {
	uint64_t from, to;	/* bytes, of private memory without the recorder's */
	uint64_t heap_from, heap_to;
};

/* resident_rise_find -- Looks in the timeline for private memory that grows while the heap is flat.
 *
 * rise  set only if true is returned.
 * Figures are means of the first and the last third of the samples before the end.
 * Returns false also if there are too few samples, or if the heap is an estimate. Cost O(samples).
 */
bool resident_rise_find(struct resident_rise *rise, const struct image *im);
