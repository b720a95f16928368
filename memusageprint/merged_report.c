/* merged_report.c -- The reports of --merge: all processes of all files as one.
 *
 * The merge is a recording of one process, so that every report of places works on it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/merged_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/layout.h"
#include "cli/xmalloc.h"
#include "memusageprint/job/report_job.h"
#include "memusageprint/merge/merged_input.h"
#include "memusageprint/merge/merged_text.h"
#include "memusageprint/recording_report.h"

static bool is_text(const struct settings *settings)
{
	return settings->report == REPORT_DEFAULT || settings->report == REPORT_TEXT;
}

static void print_processes(const struct report_job *job, const struct merge *m)
{
	const bool wants_all = job->settings->text & TEXT_PROCESSES;
	FILE *page;

	report_job_begin(job);
	job->output->has_color = true; /* names are clean already */
	page = layout_open(job->output->stream, settings_layout(job->settings));
	merged_text_print(page, m, job->settings, wants_all ? m->processes : job->settings->top);
	fclose(page);
}

int merged_report_print(const struct settings *settings, struct output *output)
{
	const struct report_job job = { .settings = settings, .output = output };
	struct merged_input *m = xmalloc(sizeof(*m));
	int result = merged_input_open(m, settings);

	if (result == 0 && is_text(settings))
		print_processes(&job, &m->merge);
	if (result == 0 && !(is_text(settings) && settings->text == TEXT_PROCESSES))
		result = recording_report_print_open(&job, &m->recording);
	if (result == 0)
		result = m->result;
	merged_input_close(m);
	free(m);
	return result;
}
