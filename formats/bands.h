/* bands.h -- memory over time by place: what a band graph draws.
 *
 *	struct bands b;
 *
 *	if (bands_of_image(&b, &filter, &image, &config, &err) == 0)
 *		...;
 *	bands_free(&b);
 *
 * The samples are the snapshots that know their places, of a recording also its end. Places are
 * named "function (file:line)", after the innermost frame that the filter's profile has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/massif.h"
#include "profile/base/error.h"
#include "profile/model/filter.h"
#include "profile/read/image.h"
#include "recording/recording.h"

enum { BANDS_MOST = 20 };

/* Values are bytes, one per sample; areas bytes x time. */
struct band {
	char *name;
	double *value;
	double area, peak;
};

struct bands {
	enum massif_unit unit;	/* of the time */
	double *time;		/* in that unit, from 0 on, never decreasing */
	uint32_t count;		/* samples, at least 2 */
	struct band band[BANDS_MOST];	/* largest area first */
	uint32_t band_count;
	uint32_t places;	/* in all, those in `other` too */
	struct band other;	/* places with less, together */
	struct band admin;	/* rounding and administration */
	struct band stacks;
	double area;		/* of everything */
	double peak, peak_time;	/* largest sum, and when */
	double distance;	/* mean bytes between two sampled blocks; 0: bytes are exact */
	double heap_peak;	/* largest sum of the places alone, as in other reports */
};

/* bands_of_image -- from a recording.
 *
 * b       overwritten; release with bands_free() in any case.
 * f       the filter of a profile with names; places that it ignores are left out.
 * config  of the recording: in which unit time was counted.
 * least   percent of the area that a place must have for a band of its own.
 * Returns 0, or -1 with ERR when there are less than two samples.
 */
int bands_of_image(struct bands *b, const struct filter *f, const struct image *im,
		   const struct mu_config *config, double least, struct mu_error *err);

/* bands_of_massif -- from a massif.out. As above.
 *
 * hides_runtime  leave out frames of run-times.
 */
int bands_of_massif(struct bands *b, const struct massif_file *m, bool hides_runtime, double least,
		    struct mu_error *err);

/* bands_free -- release everything. Fine for a zeroed struct. */
void bands_free(struct bands *b);
