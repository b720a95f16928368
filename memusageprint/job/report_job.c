/* report_job.c -- A file to be reported on, and where its report goes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/report_job.h"

#include <stdlib.h>

FILE *report_job_begin(const struct report_job *job)
{
	if (!job->output->stream && output_open(job->output, job->settings->output, 0) < 0)
		exit(EXIT_FAILURE);
	/* Names in these texts are clean already, of whatever kind the file is. */
	job->output->has_color = job->settings->report == REPORT_TEXT;
	return job->output->stream;
}
