/* points.h -- Program points: DHAT's figures of each place that allocates.
 *
 * A recording made for DHAT has them (docs/format.md, "Points"). For any other one they are
 * approximated from its sites.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/image.h"
#include "profile/read/sites.h"
#include "recording/points.h"

struct program_point {
	uint32_t site;		/* one of those that it has: its stack is the point's */
	uint32_t frames;	/* of that stack, from the innermost one on; UINT32_MAX: all */
	uint64_t total_bytes;
	uint64_t total_blocks;
	uint64_t lifetimes;	/* sum, in units of time; blocks that live at the end: till then */
	uint64_t max_bytes;
	uint64_t max_blocks;
	uint64_t peak_bytes;
	uint64_t peak_blocks;
	uint64_t end_bytes;
	uint64_t end_blocks;
};

struct points {
	struct program_point *point;
	uint32_t count;
	uint32_t *of_site;	/* per site: its point, or POINTS_NONE */
	uint32_t sites;
	enum mu_clock clock;	/* what the unit of time is: TICKS and NS are time that passed */
	double unit_ns;		/* nanoseconds, or for the clocks that count, 1 */
	uint64_t end_time;	/* units since the start */
	uint64_t peak_time;	/* likewise, 0 if there never was a heap */
	bool is_recorded;	/* by DHAT's rules; else made of sites: a block that realloc
				 * changed belongs to the call of realloc, lifetimes are counted in
				 * milliseconds, several threads' maxima are bounds */
};

#define POINTS_NONE UINT32_MAX

/* points_load -- copy the points out of an image.
 *
 * p      overwritten; points_free() it.
 * sites  of the same image.
 * Numbers of a damaged recording are bounded: nothing is negative.
 */
void points_load(struct points *p, const struct sites *sites, const struct image *im);

/* points_free -- release everything. Fine for a zeroed struct. */
void points_free(struct points *p);
