/* samples.h -- the timeline of one process while it is recorded: samples, never too many.
 *
 * When the table is full each two samples become one, and from then on twice as many looks make
 * a sample. Of several looks the one is kept at which most memory was resident, so that peaks
 * stay where they were.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_SAMPLES_H
#define MEMUSAGE_COMMON_SAMPLES_H

#include <stdint.h>

#include "recording/recording.h"

enum { SAMPLES_MAX = 1024 };	/* 80 KiB; at 100 ms 102 s in full resolution */

struct samples {
	struct mu_sample *item;	/* the last one may still be replaced by a later look */
	uint32_t count;
	uint32_t looks;		/* that the last sample stands for */
	uint32_t stride;	/* looks per sample; 0: nothing yet */
	uint64_t rss_peak;	/* the kernel's own high-water mark */
};

/* samples_add -- take in a look. Times must not decrease. Dies without memory. */
void samples_add(struct samples *s, const struct mu_sample *look);

/* samples_free -- release everything. Fine for a zeroed struct, and twice. */
void samples_free(struct samples *s);

#endif
