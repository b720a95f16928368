/* report_job.c -- A file to be reported on, and where its report goes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/report_job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Far beyond what such files become: folded stacks of a large program have 10 times its bytes. */
#define OUTPUT_FREE (UINT64_C(512) << 20)
enum { OUTPUT_RATIO = 64, BLOCK = 512 };

uint64_t report_job_limit(const struct settings *settings)
{
	uint64_t sum = 0;
	struct stat st;

	for (int i = 0; i < settings->file_count; i++) {
		if (strcmp(settings->files[i], "-") == 0 || stat(settings->files[i], &st) < 0 ||
		    !S_ISREG(st.st_mode))
			return 0;
		sum += (uint64_t)st.st_blocks * BLOCK;
	}
	return OUTPUT_FREE + OUTPUT_RATIO * sum;
}

FILE *report_job_begin(const struct report_job *job)
{
	if (!job->output->stream && output_open(job->output, job->settings->output, 0) < 0)
		exit(EXIT_FAILURE);
	job->output->limit = report_job_limit(job->settings);
	/* Names in these texts are clean already, of whatever kind the file is. */
	job->output->has_color = job->settings->report == REPORT_TEXT;
	return job->output->stream;
}
