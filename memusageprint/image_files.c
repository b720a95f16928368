/* image_files.c -- Reports that are files, one for each process image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/image_files.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/output.h"
#include "memusageprint/job/image_name.h"

static int write_one_file(struct report_subject *s, const struct report_job *job,
			  const struct image_file *file)
{
	char *name = image_name_make(s, job->settings, file->pattern);
	struct output out = { 0 };
	int result = -1;

	if (name && output_open(&out, name, 0) == 0) {
		out.limit = report_job_limit(job->settings);
		result = file->write(out.stream, name, s, job);
	}
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
		if (file[i].pattern && (!file[i].is_there || file[i].is_there(s)))
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
