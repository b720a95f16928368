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

/* The one file that is open. */
struct opener {
	const struct settings *settings;
	struct input in;
	struct recording recording;
};

static int open_file(void *data, uint32_t number, struct segment *s)
{
	struct opener *o = data;
	const char *file = o->settings->files[number];

	if (input_open(&o->in, file) < 0)
		return -1;
	if (o->in.kind != INPUT_RECORDING) {
		warn("%s: this is %s: --merge reads recordings (memusage --record)", o->in.name,
		     file_type_name(o->in.kind));
		input_close(&o->in);
		return -1;
	}
	if (recording_open(&o->recording, &o->in, file) < 0) {
		input_close(&o->in);
		return -1;
	}
	*s = o->recording.segment;
	return 0;
}

static void close_file(void *data, struct segment *s)
{
	struct opener *o = data;

	recording_close(&o->recording);
	input_close(&o->in);
	*s = (struct segment){ .size = 0 };
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
	struct opener o = { .settings = settings };
	const struct merge_source source = { .count = (uint32_t)settings->file_count, .data = &o,
					     .open = open_file, .close = close_file };
	struct mu_error err;

	*m = (struct merged_input){ .result = 0 };
	if (merge_run(&m->merge, &source, temporary_open_or_die(), &err) < 0 ||
	    write_and_open(m, &err) < 0) {
		warn("cannot merge: %s", err.text);
		return -1;
	}
	m->result = m->merge.failed > 0 ? -1 : 0;
	return 0;
}

void merged_input_close(struct merged_input *m)
{
	if (m->is_open)
		recording_close(&m->recording);
	merge_free(&m->merge);
}
