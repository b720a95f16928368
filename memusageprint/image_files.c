/* image_files.c -- Reports that are files, one for each process image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/image_files.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/xmalloc.h"

static bool pattern_has_pid(const char *pattern)
{
	for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += at[1] ? 2 : 1) {
		if (at[1] == 'p')
			return true;
	}
	return false;
}

/* Returns how many images of the same process follow an image. */
static unsigned int count_later_images(const struct recording *r, uint32_t slot, pid_t pid)
{
	unsigned int count = 0;
	struct mu_slot entry;

	for (uint32_t k = slot + 1; k < r->segment.head.slot_count; k++)
		count += segment_slot(&r->segment, k, &entry) && (pid_t)entry.pid == pid;
	return count;
}

/* Returns a name that no other image of the recording gets, or NULL after a warning. */
static char *make_file_name(const struct report_subject *s, const struct settings *settings,
			    const char *pattern)
{
	const struct recording *r = s->recording;
	char why[128], *name = output_expand(pattern, s->pid, getenv, why), *longer;
	unsigned int later = count_later_images(r, s->slot, s->pid);
	uint32_t first = recording_main(r, settings);
	struct mu_slot entry;

	if (!name) {
		warn("%s: %s", pattern, why);
		return NULL;
	}
	if (!pattern_has_pid(pattern) && segment_slot(&r->segment, first, &entry) &&
	    (pid_t)entry.pid != s->pid) {
		longer = xasprintf("%s.%d", name, (int)s->pid);
		free(name);
		name = longer;
	}
	if (later > 0) {
		longer = xasprintf("%s.%u", name, later);
		free(name);
		name = longer;
	}
	return name;
}

static int write_one_file(struct report_subject *s, const struct report_job *job,
			  const struct image_file *file)
{
	char *name = make_file_name(s, job->settings, file->pattern);
	struct output out = { 0 };
	int result = -1;

	if (name && output_open(&out, name, 0) == 0)
		result = file->write(out.stream, name, s, job);
	if (output_close(&out) < 0)
		result = -1;
	free(name);
	return result;
}

static int write_open_image(struct report_subject *s, const struct report_job *job,
			    const struct image_file *file, int count)
{
	int result = 0;

	for (int i = 0; i < count; i++) {
		if (file[i].pattern)
			result |= write_one_file(s, job, &file[i]);
	}
	return result;
}

static int open_and_write_image(const struct report_job *job, const struct recording *r,
				uint32_t slot, const struct image_file *file, int count)
{
	struct report_subject s;
	int result = report_subject_open(&s, r, slot, job->settings);

	if (result == 0)
		result = write_open_image(&s, job, file, count);
	report_subject_close(&s);
	return result;
}

int image_files_write(const struct report_job *job, const struct recording *r,
		      struct report_subject *open, const struct image_file *file, int count)
{
	int result = 0;

	for (uint32_t k = job->settings->first_image; k < r->segment.head.slot_count; k++) {
		struct image im;

		if (segment_image(&r->segment, k, &im, NULL) < 0)
			continue;
		if (open && open->slot == k)
			result |= write_open_image(open, job, file, count);
		else
			result |= open_and_write_image(job, r, k, file, count);
	}
	return result;
}
