/* merged_input.c -- Merges the files of the command line to one recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/merge/merged_input.h"

#include <unistd.h>

#include "cli/message.h"
#include "cli/temporary.h"
#include "memusageprint/job/input.h"
#include "profile/merge/merge_image.h"

/* Several threads call it. It releases what input_open() took: the recording is mapped. */
static int open_file(void *data, uint32_t number, struct segment *s)
{
	const struct settings *settings = data;
	const char *file = settings->files[number];
	struct recording recording;
	struct input in;
	int result = -1;

	if (input_open(&in, file) < 0)
		return -1;
	if (in.kind != INPUT_RECORDING)
		warn("%s: this is %s: --merge reads recordings (memusage --record)", in.name,
		     file_type_name(in.kind));
	else if (!in.is_file)
		warn("%s: is no regular file: --merge reads recordings twice", in.name);
	else
		result = recording_open(&recording, &in, file);
	if (result == 0)
		*s = recording.segment;
	input_close(&in);
	return result;
}

static void close_file(void *data, struct segment *s)
{
	segment_close(s);
}

static int write_and_open(struct merged_input *m, struct mu_error *err)
{
	const int fd = temporary_open_or_die();
	int result = merge_image_write(&m->merge, fd, err);

	if (result == 0)
		result = segment_open_fd(&m->recording.segment, fd, err);
	m->is_open = result == 0;
	m->recording.name = "the merge";
	m->recording.merge = &m->merge;
	close(fd);
	return result;
}

int merged_input_open(struct merged_input *m, const struct settings *settings)
{
	const struct merge_source source = { .count = (uint32_t)settings->file_count,
					     .readers = settings->readers,
					     .data = (void *)settings, .hold = message_hold,
					     .open = open_file, .close = close_file };
	struct mu_error err;

	*m = (struct merged_input){ .result = 0 };
	if (merge_run(&m->merge, &source, temporary_open_or_die(), &err) < 0 ||
	    write_and_open(m, &err) < 0) {
		warn("cannot merge: %s", err.text);
		return -1;
	}
	m->result = m->merge.failed > 0 || m->merge.cut > 0 ? -1 : 0;
	return 0;
}

void merged_input_close(struct merged_input *m)
{
	if (m->is_open)
		recording_close(&m->recording);
	merge_free(&m->merge);
}
