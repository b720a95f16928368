/* snapshot_values.h -- Reads the values of each site at a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/read/image.h"

/* A walk over the values of one snapshot. All fields are snapshot_values_next()'s own. */
struct snapshot_values {
	const struct image *image;
	uint64_t array;		/* offset of the next value of an array */
	uint64_t left;		/* ... and how many are left */
	uint64_t piece;		/* offset of the next piece */
	const uint8_t *at;	/* in a piece */
	const uint8_t *end;
	uint64_t site;		/* the smallest that may come */
};

/* snapshot_values_are_known -- Tells whether a snapshot has values: some have totals only.
 *
 * The values of an empty heap are known.
 */
bool snapshot_values_are_known(const struct mu_snapshot *shot);

/* snapshot_values_open -- Starts to read the values of a snapshot.
 *
 * v      to be filled; holds nothing that must be freed.
 * image  must stay as long as V. shot is not needed afterwards.
 */
void snapshot_values_open(struct snapshot_values *v, const struct image *image,
		     const struct mu_snapshot *shot);

/* snapshot_values_next -- Reads the next value that is not zero.
 *
 * Returns false at the end, or where the recording is damaged. Sites ascend if the recorder wrote
 * them; the caller must check the sites of a hostile recording and limit the number of values.
 * Source docs/format.md, section 8.
 */
bool snapshot_values_next(struct snapshot_values *v, struct mu_site_value *value);
