/* reports.c -- which report is made of which kind of file, and by whom.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/reports.h"

#include <stdlib.h>

#include "cli/message.h"
#include "memusageprint/export/massif_convert.h"
#include "memusageprint/recording_report.h"
#include "memusageprint/text/dhat_text.h"
#include "memusageprint/text/massif_text.h"
#include "memusageprint/text/plot.h"

static const struct {
	enum input_kind kind;
	enum report report;
	report_fn print;
} reports[] = {
	{ INPUT_MASSIF, REPORT_DEFAULT, massif_text_print },
	{ INPUT_MASSIF, REPORT_TO_MASSIF, massif_convert_print },
	{ INPUT_MASSIF, REPORT_TO_FOLDED, massif_convert_print },
	{ INPUT_MASSIF, REPORT_TO_CALLGRIND, massif_convert_print },
	{ INPUT_MASSIF, REPORT_TO_JSON, massif_convert_print },
	{ INPUT_MASSIF, REPORT_TEXT, plot_massif },
	{ INPUT_RECORDING, REPORT_DEFAULT, recording_print },
	{ INPUT_RECORDING, REPORT_TEXT, recording_print },
	{ INPUT_RECORDING, REPORT_DHAT, recording_print },
	{ INPUT_DHAT, REPORT_DEFAULT, dhat_text_print },
	{ INPUT_DHAT, REPORT_DHAT, dhat_text_print },
	{ INPUT_RECORDING, REPORT_SPACETIME, recording_print },
	{ INPUT_RECORDING, REPORT_TO_MASSIF, recording_print },
	{ INPUT_RECORDING, REPORT_TO_FOLDED, recording_print },
	{ INPUT_RECORDING, REPORT_TO_CALLGRIND, recording_print },
	{ INPUT_RECORDING, REPORT_TO_JSON, recording_print },
	{ INPUT_RECORDING, REPORT_TO_PPROF, recording_print },
	{ INPUT_RECORDING, REPORT_TO_DHAT, recording_print },
};

/* Why nothing can be printed of a kind that has no report at all. */
static const char *const advice[INPUT_KINDS] = {
	[INPUT_UNKNOWN] = "give a massif.out",
	[INPUT_RECORDING] = "there is no report of it yet",
	[INPUT_DHAT] = "there is no report of it yet",
	[INPUT_DATA] = "memusagestat draws it",
};

static int refuse(const struct report_job *job, bool has_others)
{
	const char *option = settings_report_option(job->settings->report);
	const char *kind = kind_name(job->in->kind);

	if (job->in->kind == INPUT_MASSIF && job->settings->report == REPORT_TO_PPROF)
		warn("%s: %s has neither addresses in files nor counts of blocks, which pprof "
		     "wants: keep a recording (memusage --record), or use --to=folded or "
		     "--to=callgrind", job->in->name, kind);
	else if (has_others)
		warn("%s: this is %s: %s does not suit it", job->in->name, kind,
		     option ? option : "the default report");
	else
		warn("%s: this is %s: %s", job->in->name, kind, advice[job->in->kind]);
	return -1;
}

FILE *report_begin(const struct report_job *job)
{
	if (!job->output->stream && output_open(job->output, job->settings->output, 0) < 0)
		exit(EXIT_FAILURE);
	/* Drawings have colours, and names that are clean. */
	job->output->has_color = job->settings->report == REPORT_TEXT &&
				 job->settings->text & TEXT_PLOT;
	return job->output->stream;
}

int reports_print(const struct report_job *job)
{
	bool has_others = false;

	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		if (reports[i].kind != job->in->kind)
			continue;
		if (reports[i].report == job->settings->report)
			return reports[i].print(job);
		has_others = true;
	}
	return refuse(job, has_others);
}
