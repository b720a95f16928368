/* report_job.h -- A file to be reported on, and where its report goes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "cli/output.h"
#include "memusageprint/job/input.h"
#include "memusageprint/job/settings.h"

struct report_job {
	struct input *in;	/* open; nothing has been read */
	const char *file;	/* its name as an operand of the command line */
	const struct settings *settings;
	struct output *output;	/* use report_job_begin() */
};

/* Prints one report of one file. Returns 0, or -1 after a warning. In that case it has printed the
 * undamaged part of a damaged file. */
typedef int (*report_fn)(const struct report_job *job);

/* report_job_begin -- Returns the stream for the report, which the caller neither closes nor
 * checks.
 *
 * Call it only after the input has turned out to be good: the first call of a run empties the
 * output file. Does not return if the output cannot be opened.
 */
FILE *report_job_begin(const struct report_job *job);

/* report_job_limit -- How many bytes an output of the input files may have; 0: any number.
 *
 * A name is in a file once, and with each stack that has it in the output: so a file of a megabyte
 * could fill a disk. What is no file on a disk, as a pipe, has no limit.
 */
uint64_t report_job_limit(const struct settings *settings);
