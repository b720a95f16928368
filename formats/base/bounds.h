/* bounds.h -- Texts for the 95 % bounds of estimates of a sampled recording.
 *
 * A bound is in the unit in which units_bytes() writes the estimate, with no more decimals than it,
 * and rounded up: "41.2 MiB" and "+- 3.1". Few samples have unequal bounds: "128 KiB" and
 * "-125 +586". A figure without error is "exact". Where nothing was sampled, the upper bound has a
 * unit of its own: "0 B" and "+472 KiB".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "cli/units.h"
#include "profile/read/image_end.h"
#include "profile/read/site_errors.h"

/* Big enough for whatever the functions below write, with the final zero. */
enum { BOUNDS_LENGTH = 3 * UNITS_LENGTH, BOUNDS_TEXT = 256 };

/* bounds_bytes -- Writes the bounds of an estimate of bytes; at most 12 characters.
 *
 * e         the sum of the errors of all sites that BYTES is the sum of.
 * distance  from sampled_mean_distance().
 * Returns TEXT.
 */
const char *bounds_bytes(char text[BOUNDS_LENGTH], const struct sampled_error *e, int64_t bytes,
			 double distance);

/* bounds_blocks -- Does the same for a number of blocks, as units_grouped() writes it. */
const char *bounds_blocks(char text[BOUNDS_LENGTH], const struct sampled_error *e, int64_t blocks);

/* bounds_bytes_text -- Writes an estimate of bytes and its bounds: "41.2 MiB +- 3.1". */
const char *bounds_bytes_text(char text[BOUNDS_LENGTH], const struct sampled_error *e,
			      int64_t bytes, double distance);

/* bounds_describe -- Writes for other tools that figures of an image are estimates, and how good:
 * "estimates: about one block in 128 KiB was sampled; heap peak 41.2 MiB +- 3.1, at ...".
 *
 * s  of the image.
 * Returns TEXT, which is "" if the recording is not sampled.
 */
const char *bounds_describe(char text[BOUNDS_TEXT], const struct sites *s, const struct image *im);

/* bounds_describe_change -- Does the same for what changed between two moments.
 *
 * sum  of it, from site_errors_change().
 * s    the changes of the sites.
 */
const char *bounds_describe_change(char text[BOUNDS_TEXT], const struct site_errors *sum,
				   const struct sites *s, double distance);

/* bounds_now -- Returns when the last figures of a process are of: "now" if it runs, or "at the
 * end". */
const char *bounds_now(struct image_end end);
