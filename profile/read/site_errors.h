/* site_errors.h -- how far the estimates of a sampled recording may be off.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/read/image.h"
#include "profile/read/sites.h"

/* The error of one figure: that of several sites is the sum of each field. */
struct sampled_error {
	double samples;		/* blocks that were recorded and are not exact */
	double exact_bytes;	/* the part of the estimate without error */
	double exact_blocks;
	double variance;	/* of the bytes, squared bytes */
	double block_variance;	/* of the number of blocks */
};

/* The errors of one site's figures. */
struct site_errors {
	struct sampled_error live, peak, total;
};

/* The limits between which the true value is with a probability of 95 %. */
struct sampled_interval {
	double low, high;
};

/* site_errors_load -- read the errors of all sites.
 *
 * Returns one entry per site, to be freed; NULL if the recording is not sampled, or without memory.
 * Cost O(cells).
 */
struct site_errors *site_errors_load(const struct sites *s, const struct image *im);

/* sampled_mean_distance -- the mean number of bytes between two sampled blocks, R; 0: all blocks
 * were recorded. */
double sampled_mean_distance(const struct image *im);

/* sampled_bytes_interval, sampled_blocks_interval -- compute the interval of an estimate.
 *
 * estimate  of the sites whose errors `e` is the sum of.
 * distance  from sampled_mean_distance().
 * Source docs/format.md, section 7.4.
 */
struct sampled_interval sampled_bytes_interval(const struct sampled_error *e, double estimate,
					       double distance);
struct sampled_interval sampled_blocks_interval(const struct sampled_error *e, double estimate,
						double distance);
