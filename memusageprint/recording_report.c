/* recording_report.c -- Reports and exports of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/recording_report.h"

#include "cli/message.h"
#include "cli/output.h"
#include "memusageprint/export/dhat_export.h"
#include "memusageprint/export/export_formats.h"
#include "memusageprint/export/massif_export.h"
#include "memusageprint/export/spacetime_export.h"
#include "memusageprint/export/xtree_export.h"
#include "memusageprint/image_files.h"
#include "memusageprint/text/dhat_summary.h"
#include "memusageprint/text/dhat_text.h"
#include "memusageprint/text/massif_snapshot_log.h"
#include "memusageprint/text/text_report.h"

/* ---- files of every image ----------------------------------------------------------------- */

static bool wants_image_files(const struct settings *settings)
{
	return settings->massif_file || settings->dhat_file || settings->xtree != XTREE_NONE ||
	       settings->spacetime_files != SPACETIME_NONE;
}

static int write_massif_file(FILE *out, const char *name, struct report_subject *s,
			     const struct report_job *job)
{
	(void)name;
	if (job->settings->massif_log || job->settings->massif_stats)
		massif_snapshot_log_print(stdout, s, job->settings);
	return massif_export(out, s, job->settings);
}

static int write_dhat_file(FILE *out, const char *name, struct report_subject *s,
			   const struct report_job *job)
{
	struct dhat d;
	int result = dhat_export_load(&d, s, job->settings);

	(void)name;
	if (result == 0) {
		dhat_write(out, &d);
		if (job->settings->dhat_summary)
			dhat_summary_print(report_job_begin(job), &d, s->pid);
	}
	dhat_free(&d);
	return result;
}

static int write_image_files(const struct report_job *job, const struct recording *r,
			     struct report_subject *open)
{
	const struct settings *settings = job->settings;
	bool has_spacetime = settings->spacetime_files != SPACETIME_NONE;
	const char *report = settings->spacetime_files == SPACETIME_HTML ? "massif.%p.html" :
									   "massif.%p.txt";
	bool has_xtree = settings->xtree != XTREE_NONE && xtree_can_export(r, settings);
	const struct image_file files[] = {
		{ has_xtree ? settings->xtree_file : NULL, xtree_export },
		{ settings->massif_file, write_massif_file },
		{ settings->dhat_file, write_dhat_file },
		{ has_spacetime ? "massif.%p.hp" : NULL, spacetime_export_hp },
		{ has_spacetime ? report : NULL, spacetime_export_report },
	};
	int result = image_files_write(job, r, open, files, sizeof(files) / sizeof(*files));

	return has_xtree == (settings->xtree != XTREE_NONE) ? result : -1;
}

/* ---- the report of one image -------------------------------------------------------------- */

/* False if the command line asks only for files of every image. */
static bool wants_report(const struct settings *settings)
{
	return settings->report != REPORT_DEFAULT || !wants_image_files(settings);
}

static int print_image(const struct report_job *job, struct report_subject *s)
{
	FILE *out = report_job_begin(job);

	switch (job->settings->report) {
	case REPORT_DHAT:
		return dhat_text_print_image(out, s, job->settings);
	case REPORT_SPACETIME:
		return spacetime_export(out, s, job->settings);
	case REPORT_EXPORT:
		return export_formats_write(out, s, job->settings);
	default:
		return text_report_print(out, s, job->settings);
	}
}

static int open_chosen_image(const struct report_job *job, const struct recording *r,
			     struct report_subject *s)
{
	pid_t pid = (pid_t)job->settings->pid;
	uint32_t slot = pid ? recording_find(r, pid) : recording_main(r);

	*s = (struct report_subject){ .slot = RECORDING_NONE };
	if (slot == RECORDING_NONE && pid)
		warn("%s: holds no process %d", r->name, (int)pid);
	else if (slot == RECORDING_NONE)
		warn("%s: holds no process that can be read", r->name);
	return slot == RECORDING_NONE ? -1 : report_subject_open(s, r, slot, job->settings);
}

int recording_report_print(const struct report_job *job)
{
	const struct settings *settings = job->settings;
	struct recording r;
	struct report_subject s = { .slot = RECORDING_NONE };
	int result = 0;

	if (recording_open(&r, job->in, job->file) < 0)
		return -1;
	if (wants_report(settings)) {
		result = open_chosen_image(job, &r, &s);
		if (result == 0)
			result = print_image(job, &s);
	}
	/* The output is emptied even if no image has a summary. */
	if (settings->dhat_summary)
		report_job_begin(job);
	if (wants_image_files(settings))
		result |= write_image_files(job, &r, s.recording ? &s : NULL);
	report_subject_close(&s);
	recording_close(&r);
	return result;
}
