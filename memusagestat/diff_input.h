/* diff_input.h -- One of the two files of --diff: its stacks and their weights.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/stack_import.h"
#include "memusagestat/input_file.h"
#include "memusagestat/recorded_process.h"
#include "memusagestat/settings.h"
#include "profile/read/site_errors.h"

struct diff_input {
	struct input_file source;
	enum input_kind kind;
	const struct filter *filter;	/* of its stacks */
	uint32_t sites;
	struct weight *weight;		/* one per site, after diff_input_weigh() */
	double distance;		/* mean bytes between two sampled blocks; 0: exact */
	bool has_blocks;		/* numbers of blocks are known */
	struct recorded_process recorded;	/* if it is a recording */
	struct massif_file massif;
	/* private */
	struct stack_import import;
	struct dhat dhat;
	struct pprof_file pprof;
	struct site_errors *errors;	/* NULL: exact */
	struct sampled_error *error;
};

/* diff_input_open -- Reads a recording, a massif.out, or a profile of DHAT or pprof.
 *
 * output, what  must not be the file itself: as for input_file_check_output().
 * Returns what diff_input_close() releases. Dies with a message if the file cannot be read.
 */
struct diff_input *diff_input_open(const char *file, const char *output, const char *what,
				   const struct settings *s);

/* diff_input_knows -- Tells whether the file tells a metric: that of the peak, the end or all
 * allocations. */
bool diff_input_knows(const struct diff_input *in, enum metric_kind kind);

/* diff_input_weigh -- Computes a metric that the file tells, of every site, into in->weight.
 *
 * Their errors, if it is sampled, are valid until the next call.
 */
void diff_input_weigh(struct diff_input *in, enum metric_kind kind);

/* diff_input_close -- Releases it. */
void diff_input_close(struct diff_input *in);
