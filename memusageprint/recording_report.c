/* recording_report.c -- reports of a recording, and what it is converted to.
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
#include "memusageprint/imagefiles.h"
#include "memusageprint/job/report_subject.h"
#include "memusageprint/text/massif_snapshot_log.h"
#include "memusageprint/text/text_report.h"

/* Whether files of all images are wanted. */
static bool has_files(const struct settings *settings)
{
	return settings->massif_file || settings->dhat_file || settings->xtree != XTREE_NONE ||
	       settings->spacetime_files != SPACETIME_NONE;
}

/* Whether an image itself is wanted, and not only files of all. */
static bool wants_image(const struct settings *settings)
{
	return settings->report != REPORT_DEFAULT || !has_files(settings);
}

static int write_massif(FILE *out, const char *name, struct subject *s,
			const struct settings *settings)
{
	(void)name;
	if (settings->massif_journal || settings->massif_stats)
		massif_journal(stdout, s, settings);
	return massif_export(out, s, settings);
}

static int write_files(const struct recording *r, struct subject *open,
		       const struct settings *settings)
{
	bool has_spacetime = settings->spacetime_files != SPACETIME_NONE;
	const char *report = settings->spacetime_files == SPACETIME_HTML ? "massif.%p.html" :
									   "massif.%p.txt";
	bool has_xtree = settings->xtree != XTREE_NONE && xtree_can_export(r, settings);
	const struct imagefile files[] = {
		{ has_xtree ? settings->xtree_file : NULL, xtree_export },
		{ settings->massif_file, write_massif },
		{ settings->dhat_file, dhat_write_file },
		{ has_spacetime ? "massif.%p.hp" : NULL, spacetime_export_hp },
		{ has_spacetime ? report : NULL, spacetime_export_report },
	};

	int result = imagefiles_write(r, open, settings, files,
				      sizeof(files) / sizeof(*files));

	return has_xtree == (settings->xtree != XTREE_NONE) ? result : -1;
}

static int print_image(const struct report_job *job, struct subject *s)
{
	const struct settings *settings = job->settings;
	FILE *out = report_begin(job);

	if (job->settings->report == REPORT_DHAT)
		return dhat_show(out, s, job->settings);
	if (settings->report == REPORT_SPACETIME)
		return spacetime_export(out, s, settings);
	if (job->settings->report >= REPORT_TO_MASSIF)
		return exports_write(out, s, job->settings);
	return places_print(out, s, job->settings);
}

static int open_chosen(const struct report_job *job, const struct recording *r,
		       struct subject *s)
{
	pid_t pid = (pid_t)job->settings->pid;
	uint32_t slot = pid ? recording_find(r, pid) : recording_main(r);

	*s = (struct subject){ .slot = RECORDING_NONE };
	if (slot == RECORDING_NONE && pid)
		warn("%s: holds no process %d", r->name, (int)pid);
	else if (slot == RECORDING_NONE)
		warn("%s: holds no process that can be read", r->name);
	return slot == RECORDING_NONE ? -1 : subject_open(s, r, slot, job->settings);
}

int recording_print(const struct report_job *job)
{
	const struct settings *settings = job->settings;
	struct recording r;
	struct subject s = { .slot = RECORDING_NONE };
	int result = 0;

	if (recording_open(&r, job->in, job->file) < 0)
		return -1;
	if (wants_image(settings)) {
		result = open_chosen(job, &r, &s);
		if (result == 0)
			result = print_image(job, &s);
	}
	if (settings->dhat_summary)
		dhat_summaries(report_begin(job));
	if (has_files(settings))
		result |= write_files(&r, s.recording ? &s : NULL, settings);
	subject_close(&s);
	recording_close(&r);
	return result;
}
