/* reports.c -- Chooses the report for a file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/reports.h"

#include "cli/message.h"
#include "memusageprint/dhat/dhat_metric.h"
#include "memusageprint/dhat/dhat_text.h"
#include "memusageprint/export/export_formats.h"
#include "memusageprint/recording_report.h"
#include "memusageprint/text/import_report.h"
#include "memusageprint/text/massif_text.h"

static const struct {
	enum input_kind kind;
	enum report report;
	report_fn print;
} reports[] = {
	{ INPUT_MASSIF, REPORT_DEFAULT, massif_text_print },
	{ INPUT_MASSIF, REPORT_TEXT, import_report_massif },
	{ INPUT_MASSIF, REPORT_EXPORT, export_formats_convert_massif },
	{ INPUT_RECORDING, REPORT_DEFAULT, recording_report_print },
	{ INPUT_RECORDING, REPORT_TEXT, recording_report_print },
	{ INPUT_RECORDING, REPORT_DHAT, recording_report_print },
	{ INPUT_RECORDING, REPORT_SPACETIME, recording_report_print },
	{ INPUT_RECORDING, REPORT_EXPORT, recording_report_print },
	{ INPUT_DHAT, REPORT_DEFAULT, dhat_text_print },
	{ INPUT_DHAT, REPORT_TEXT, import_report_dhat },
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

static int refuse_unknown_file(const struct report_job *job)
{
	struct mu_error err;
	const char *data = "";
	ssize_t size = textfile_peek(&job->in->text, &data, &err);
	struct file_guess guess = file_type_guess(data, size > 0 ? (size_t)size : 0);

	warn("%s: this is %s: %s", job->in->name,
	     guess.what ? guess.what : "a file of an unknown kind",
	     guess.advice ? guess.advice : "memusageprint reads recordings (memusage --record), "
					   "massif.out files and DHAT's JSON");
	return -1;
}

static int refuse_file(const struct report_job *job)
{
	const struct settings *settings = job->settings;
	const char *name = job->in->name, *kind = file_type_name(job->in->kind);

	if (job->in->kind == INPUT_UNKNOWN)
		return refuse_unknown_file(job);
	if (job->in->kind == INPUT_DATA)
		warn("%s: this is %s: memusagestat draws it", name, kind);
	else if (job->in->kind == INPUT_PPROF)
		warn("%s: this is %s: memusageprint --diff compares it with another file, and "
		     "go tool pprof prints it", name, kind);
	else
		warn("%s: this is %s: %s%s does not suit it", name, kind,
		     report_names[settings->report],
		     settings->report == REPORT_EXPORT ? settings->format : "");
	return -1;
}

/* Without --dhat only the file tells whether options of that report have one. */
static void warn_of_dhat_options(const struct report_job *job)
{
	const struct settings *s = job->settings;
	const enum input_kind kind = job->in->kind;

	if (s->report != REPORT_DEFAULT || (!s->invert && s->sort == DHAT_TOTAL_BLOCKS) ||
	    (kind != INPUT_RECORDING && kind != INPUT_MASSIF))
		return;
	warn("%s: this is %s: %s does not suit it%s", job->in->name, file_type_name(kind),
	     s->invert ? "--invert" : "--sort",
	     kind == INPUT_RECORDING ? " without --dhat" : "");
}

int reports_print(const struct report_job *job)
{
	warn_of_dhat_options(job);
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		if (reports[i].kind == job->in->kind && reports[i].report == job->settings->report)
			return reports[i].print(job);
	}
	return refuse_file(job);
}
