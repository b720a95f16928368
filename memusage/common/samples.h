/* samples.h -- A bounded timeline of one recorded process.
 *
 * When the table is full, each pair of samples becomes one, and from then on a sample stands for
 * twice as many readings. The reading with most resident memory is kept, so that peaks stay where
 * they were.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "recording/recording.h"

enum { SAMPLES_MAX = 1024 };	/* 80 KiB; at 100 ms, 102 s in full resolution */

struct samples {
	struct mu_sample *item;	/* a later reading may still replace the last one */
	uint32_t count;
	uint32_t readings;	/* readings that the last sample stands for */
	uint32_t stride;	/* readings per sample; 0: nothing yet */
	uint64_t rss_peak;	/* the kernel's high-water mark */
	uint32_t kept_stride;	/* stride when they were written last: record/ledger.h */
};

/* samples_add -- Adds a reading. Times must not decrease. Dies if memory runs out. */
void samples_add(struct samples *s, const struct mu_sample *look);

/* samples_free -- Releases everything. S may be zeroed, and freed twice. */
void samples_free(struct samples *s);
