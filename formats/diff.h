/* diff.h -- Writes a comparison of two files for programs and for other tools.
 *
 * The section JSON OF --DIFF of man/memusageprint.1 describes the JSON for users; tests/e2e/diff.t
 * compares.
 *
 *	{"format":"memusage-diff","version":1,"creator":"0.1",
 *	 "old":{"file":"old.mur","process":"process 12, ./prog"},"new":{..},
 *	 "renamed":[{"old":"read_line","new":"fetch"}],
 *	 "metrics":[{"metric":"peak","old_bytes":..,"old_blocks":..,"new_bytes":..,"new_blocks":..,
 *	             "matched":0.99,"folded":0.01,"moved":0}],
 *	 "locations":[{"object":"/bin/prog",
 *	               "levels":[{"function":..,"file":"a.c","line":3}]}],
 *	 "stacks":[{"stack":[2,0],"match":"path","peak":[1000,10,1500,15],
 *	            "peak_change_95":[..]}]}
 *
 * A stack begins at the innermost frame; its numbers are those of "locations". Its metrics are old
 * bytes, old blocks, new bytes, new blocks; blocks are null if a file does not tell them. "match"
 * is "path", "folded", "moved", "old" or "new": the last two have memory of one file. With
 * estimates the change of bytes has its interval. Later versions may add members.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "profile/compare/comparison.h"

enum { DIFF_METRICS = 4 };

/* A metric that both files tell. */
struct diff_metric {
	enum metric_kind kind;	/* peak, end, total or temporary */
	const struct weight *weight[SIDES];	/* one per site of the comparison */
	const struct sampled_error *error;	/* of the changes; NULL: they are exact */
};

/* Everything is borrowed. */
struct diff_export {
	const struct comparison *comparison;
	struct diff_metric metric[DIFF_METRICS];
	uint32_t metrics;
	const char *file[SIDES], *process[SIDES];	/* may be hostile */
	const char *version;	/* of memusage */
	bool has_blocks;	/* both files tell numbers of blocks */
	double distance;	/* mean bytes between two sampled blocks; 0: all were recorded */
};

/* diff_write_json -- Writes all metrics of all stacks as one JSON object.
 *
 * Errors of OUT stay with it, here and below.
 */
void diff_write_json(FILE *out, const struct diff_export *e);

/* diff_write_folded -- Writes "main;load;read_line OLD NEW" for each stack, by the first metric.
 *
 * Read by flamegraph.pl, which draws the difference of two numbers. Stacks without memory in either
 * file are left out.
 */
void diff_write_folded(FILE *out, const struct diff_export *e);
