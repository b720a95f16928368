/* report_subject.h -- One process image of a recording, ready to be reported on.
 *
 *	struct recording r;
 *	struct report_subject s;
 *
 *	if (recording_open(&r, in, file) == 0 &&
 *	    report_subject_open(&s, &r, recording_main(&r, settings), settings) == 0)
 *		...;
 *	report_subject_close(&s);
 *	recording_close(&r);
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusageprint/job/recording.h"
#include "memusageprint/job/settings.h"
#include "profile/model/filter.h"
#include "profile/model/profile.h"
#include "profile/read/site_errors.h"

struct complete_stacks;

struct report_subject {
	const struct recording *recording;
	uint32_t slot;
	pid_t pid;		/* in the collector's PID namespace */
	bool is_live_copy;	/* of a kept recording: the process ran when it was copied */
	struct image image;
	struct profile profile;	/* what reports show: with or without frames of run-times */
	struct filter filter;	/* without a limit of depth */
	struct complete_stacks *complete;	/* private; NULL: with them */
	struct weight *weight;	/* one per site; for sites_weigh() */
	struct site_errors *errors;	/* one per site; NULL: nothing was sampled */
	struct sampled_error *error;	/* of each weight; private */
	double distance;	/* mean bytes between two sampled blocks; 0: all were recorded */
	double unseen;		/* what a place without a sample has at most, in bytes */
};

/* report_subject_open -- Loads an image, looks up the names of its addresses, and prepares the
 * filter.
 *
 * s  overwritten; the caller calls report_subject_close() in any case.
 * Returns 0, or -1 after a warning.
 */
int report_subject_open(struct report_subject *s, const struct recording *r, uint32_t slot,
			const struct settings *settings);

/* report_subject_hide_runtime -- Leaves the frames of run-times out of s->profile, from now on.
 *
 * Nothing happens if they are hidden already, or if the settings say that they are to be shown.
 */
void report_subject_hide_runtime(struct report_subject *s, const struct settings *settings);

/* report_subject_show_runtime -- Puts them back. The values in s->weight stay good. */
void report_subject_show_runtime(struct report_subject *s);

/* report_subject_complete -- Returns the filter of the profile with all frames. */
const struct filter *report_subject_complete(const struct report_subject *s);

/* report_subject_close -- Releases everything. Accepts a zeroed struct. */
void report_subject_close(struct report_subject *s);

/* report_subject_weigh -- Computes the metric of every site, into s->weight.
 *
 * snapshot  as for sites_weigh().
 * The weights of a sampled recording have their errors.
 * Returns 0, or -1 after a warning: the recording has no such snapshot, or the snapshot does not
 * know its places.
 */
int report_subject_weigh(struct report_subject *s, enum metric_kind kind, int snapshot);

/* report_subject_is_live -- Tells whether the process still runs: its "end" is now. */
bool report_subject_is_live(const struct report_subject *s);

/* report_subject_counts_bytes -- Tells whether snapshots were taken by the byte clock. */
bool report_subject_counts_bytes(const struct report_subject *s);

/* report_subject_command -- Returns the command line, joined by blanks; the caller frees it. */
char *report_subject_command(const struct report_subject *s);
