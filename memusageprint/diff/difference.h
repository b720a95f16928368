/* difference.h -- What --diff compares: two files, matched, with the weights of a metric.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/diff/diff_side.h"
#include "profile/compare/comparison.h"

/* In the metric of temporary blocks, which is about blocks, "bytes" of a weight are blocks and the
 * other way round: so lists and trees need to know one figure only. */
struct difference {
	struct diff_side side[SIDES];
	struct comparison comparison;
	struct weight *weight[SIDES];	/* one per site of the comparison */
	struct weight *change;		/* new less old */
	struct sampled_error *error[SIDES], *change_error;	/* NULL: both sides are exact */
	double distance;		/* the larger one of both sides; 0: both are exact */
	enum metric_kind kind;
	int64_t total[SIDES];		/* of all sites that are shown */
};

/* difference_open -- Reads both files and matches their stacks.
 *
 * d     overwritten, not to be moved; difference_close() it in any case.
 * kind  the metric of the report.
 * Returns 0, or -1 after a warning.
 */
int difference_open(struct difference *d, const struct settings *settings, enum metric_kind kind,
		    bool hides_runtime);

/* difference_weigh -- Computes the weights of a metric.
 *
 * Returns 0, or -1 after a warning that a file does not tell it.
 */
int difference_weigh(struct difference *d, enum metric_kind kind, int snapshot);

/* difference_is_within_error -- Tells whether a change could be none: its bounds include 0. Never
 * of exact figures. */
bool difference_is_within_error(const struct difference *d, int64_t change,
				const struct sampled_error *e);

/* difference_close -- Releases everything. */
void difference_close(struct difference *d);
