/* recording.c -- reports of a recording, and what it is converted to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/recording.h"

#include "cli/message.h"
#include "memusageprint/exports.h"
#include "memusageprint/massif_export.h"
#include "memusageprint/places.h"
#include "memusageprint/subject.h"

/* Whether an image itself is wanted, and not only files of all. */
static bool wants_image(const struct settings *settings)
{
	return settings->report != REPORT_DEFAULT || !settings->massif_file;
}

static int print_image(const struct report_job *job, struct subject *s)
{
	FILE *out = report_begin(job);

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
	if (settings->massif_file)
		result |= massif_export_all(&r, s.recording ? &s : NULL, settings);
	subject_close(&s);
	recording_close(&r);
	return result;
}
