/* push_counts.h -- What became of the profiles of --push.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

struct push_counts {
	uint64_t sent, retries;
	uint64_t dropped;	/* messages ... */
	uint64_t dropped_bytes; /* ... and what was allocated in their time */
	uint64_t failed;	/* that could not be made; the next has their values */
	uint64_t merged;	/* intervals that are in the next message: the queue was full */
	uint64_t waiting;
};
