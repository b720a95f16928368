/* diff_side.h -- One of the two files of --diff, of any kind, as stacks with weights.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "formats/stack_import.h"
#include "memusageprint/job/input.h"
#include "memusageprint/job/recording.h"
#include "memusageprint/job/report_subject.h"
#include "memusageprint/job/settings.h"
#include "profile/model/filter.h"
#include "profile/read/process_list.h"

struct diff_side {
	const char *name;		/* of the file, for messages and reports */
	const struct filter *filter;	/* of its stacks, as the report shows them */
	struct weight *weight;		/* one per site; of diff_side_weigh() */
	bool has_blocks;		/* numbers of blocks are known */
	bool is_cut;			/* some of the file is missing, which a message has said */
	double distance;		/* mean bytes between two sampled blocks; 0: exact */
	char *what;			/* the process: "process 4711, ./prog 80"; "" if unknown */
	/* private */
	const struct settings *settings;
	struct input in;
	struct recording recording;
	struct report_subject subject;
	struct stack_import import;
	struct massif_file massif;
	struct dhat dhat;
	struct pprof_file pprof;
};

/* diff_side_open -- Reads a file: a recording, a massif.out, or a profile of DHAT or of pprof.
 *
 * d              overwritten, not to be moved; the caller calls diff_side_close() in any case.
 * kind           metric that decides which process of a recording is compared: the one with most.
 * hides_runtime  leave out frames of run-times.
 * Returns 0, or -1 after a warning.
 */
int diff_side_open(struct diff_side *d, const char *file, enum metric_kind kind,
		   bool hides_runtime, const struct settings *settings);

/* diff_side_weigh -- Computes a metric of every site, into d->weight.
 *
 * Returns 0, or -1 after a warning that the file does not tell it.
 */
int diff_side_weigh(struct diff_side *d, enum metric_kind kind, int snapshot);

/* diff_side_knows -- Tells whether a file of this kind tells a metric. */
bool diff_side_knows(const struct diff_side *d, enum metric_kind kind);

/* diff_side_close -- Releases everything. Accepts a zeroed struct. */
void diff_side_close(struct diff_side *d);
