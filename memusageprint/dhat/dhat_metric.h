/* dhat_metric.h -- The fourteen metrics of DHAT's viewer, with their filters and thresholds.
 *
 * A metric sorts a tree of program points, and decides which nodes are significant.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "formats/dhat.h"

/* In the order of the viewer. */
enum dhat_metric {
	DHAT_TOTAL_BYTES, DHAT_TOTAL_BLOCKS, DHAT_TINY, DHAT_SHORT_LIVED, DHAT_UNUSED_BYTES,
	DHAT_UNUSED_BLOCKS, DHAT_LOW_BYTES, DHAT_LOW_BLOCKS, DHAT_GMAX, DHAT_END, DHAT_READS,
	DHAT_HIGH_READS, DHAT_WRITES, DHAT_HIGH_WRITES, DHAT_METRICS
};
#define DHAT_METRIC_WORDS \
	"total-bytes|total-blocks|tiny|short-lived|unused-bytes|unused-blocks|low-bytes|" \
	"low-blocks|gmax|end|reads|high-reads|writes|high-writes"

/* Parts that are shown even of a node that is not significant itself but has significant nodes
 * below it. */
enum dhat_bold {
	BOLD_TOTAL_BYTES = 1, BOLD_TOTAL_BLOCKS = 2, BOLD_SIZE = 4, BOLD_LIFETIME = 8,
	BOLD_GMAX = 16, BOLD_END = 32, BOLD_READS = 64, BOLD_READS_EACH = 128, BOLD_WRITES = 256,
	BOLD_WRITES_EACH = 512
};

/* dhat_metric_is_there -- Returns true if a profile has the data that the metric needs. */
bool dhat_metric_is_there(enum dhat_metric metric, const struct dhat *d);

/* dhat_metric_bold -- Returns the bits of enum dhat_bold of a metric. */
unsigned dhat_metric_bold(enum dhat_metric metric);

/* dhat_metric_value -- Returns the value by which points are sorted. */
double dhat_metric_value(enum dhat_metric metric, const struct dhat_point *p);

/* dhat_metric_matters -- Returns true if the node itself is significant.
 *
 * threshold  percent of the root, 1 in the viewer; metrics with a filter need half of it.
 */
bool dhat_metric_matters(enum dhat_metric metric, const struct dhat_point *p,
			 const struct dhat_point *root, const struct dhat *d, double threshold);

/* dhat_metric_put_threshold -- Prints when a node is significant: "total >= 42.5 blocks (1%)". */
void dhat_metric_put_threshold(FILE *out, enum dhat_metric metric, const struct dhat_point *root,
			       const struct dhat *d, double threshold);

/* dhat_bytes_word -- Returns the profile's word for bytes; "bytes" if it has none. */
const char *dhat_bytes_word(const struct dhat *d);

/* dhat_blocks_word -- Returns the profile's word for blocks; "blocks" if it has none. */
const char *dhat_blocks_word(const struct dhat *d);

/* dhat_byte_word -- Returns the profile's word for one byte; "byte" if it has none. */
const char *dhat_byte_word(const struct dhat *d);
