/* reports.c -- Chooses the report for a file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/reports.h"

#include "cli/message.h"
#include "memusageprint/export/export_formats.h"
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
	{ INPUT_MASSIF, REPORT_TEXT, plot_massif },
	{ INPUT_MASSIF, REPORT_EXPORT, export_formats_convert_massif },
	{ INPUT_RECORDING, REPORT_DEFAULT, recording_report_print },
	{ INPUT_RECORDING, REPORT_TEXT, recording_report_print },
	{ INPUT_RECORDING, REPORT_DHAT, recording_report_print },
	{ INPUT_RECORDING, REPORT_SPACETIME, recording_report_print },
	{ INPUT_RECORDING, REPORT_EXPORT, recording_report_print },
	{ INPUT_DHAT, REPORT_DEFAULT, dhat_text_print },
	{ INPUT_DHAT, REPORT_DHAT, dhat_text_print },
};

/* For messages; a format is named by --to=FORMAT. */
static const char *const report_names[] = {
	[REPORT_DEFAULT] = "the default report",
	[REPORT_TEXT] = "a report of places",
	[REPORT_DHAT] = "--dhat",
	[REPORT_SPACETIME] = "--spacetime",
	[REPORT_EXPORT] = "--to=",
};

/* Advice for the kinds of file that have no report at all. */
static const char *const advice[INPUT_KINDS] = {
	[INPUT_UNKNOWN] = "give a massif.out",
	[INPUT_DATA] = "memusagestat draws it",
};

static int refuse_file(const struct report_job *job)
{
	const struct settings *settings = job->settings;
	const char *name = job->in->name, *kind = file_type_name(job->in->kind);

	if (advice[job->in->kind])
		warn("%s: this is %s: %s", name, kind, advice[job->in->kind]);
	else
		warn("%s: this is %s: %s%s does not suit it", name, kind,
		     report_names[settings->report],
		     settings->report == REPORT_EXPORT ? settings->format : "");
	return -1;
}

int reports_print(const struct report_job *job)
{
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		if (reports[i].kind == job->in->kind && reports[i].report == job->settings->report)
			return reports[i].print(job);
	}
	return refuse_file(job);
}
