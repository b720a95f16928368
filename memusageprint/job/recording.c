/* recording.c -- An open recording, and the images in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/recording.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/running.h"

/* Takes a copy with the processes that still run in the place of a file that is being written. */
static int reopen_running(struct recording *r, const struct input *in, struct mu_error *err)
{
	int fd = running_copy("memusageprint", in->fd, r->name, (pid_t)r->segment.head.writer,
			      segment_file_is_complete);
	int result;

	if (fd < 0)
		return 0;
	segment_close(&r->segment);
	result = segment_open_fd(&r->segment, fd, err);
	close(fd);
	return result;
}

/* A pipe is copied, because a recording is mapped. */
#define COPY_MAX (UINT64_C(1) << 34)

/* Opens the contents of a compressed file or of a pipe. */
static int open_spooled(struct recording *r, struct input *in, struct mu_error *err)
{
	int fd = textfile_spool(&in->text, COPY_MAX, err), result;

	if (fd < 0)
		return -1;
	result = segment_open_fd(&r->segment, fd, err);
	close(fd);
	return result;
}

bool recording_file_is_nameless(const char *file)
{
	static const char descriptor[] = "/proc/self/fd/";

	return strncmp(file, descriptor, sizeof(descriptor) - 1) == 0;
}

int recording_open(struct recording *r, struct input *in, const char *file)
{
	char damage[SEGMENT_DAMAGE_LENGTH];
	struct mu_error err;
	int result;

	*r = (struct recording){ .name = in->name,
				 .is_nameless = recording_file_is_nameless(file) };
	if (r->is_nameless)
		r->name = "the recording";
	if (!in->is_file || textfile_is_compressed(&in->text))
		result = open_spooled(r, in, &err);
	else
		result = segment_open(&r->segment, in->fd == STDIN_FILENO ? "/dev/stdin" : file,
				      &err);
	if (result == 0 && in->is_file && segment_is_being_written(&r->segment))
		result = reopen_running(r, in, &err);
	if (result < 0) {
		warn("%s: %s", r->name, err.text);
		return -1;
	}
	if (r->segment.missing == 0)
		return 0;
	result = segment_damage(&r->segment, damage) > 0 ? 0 : -1;
	warn("%s: %s", r->name, damage);
	if (result < 0)
		recording_close(r);
	return result;
}

void recording_close(struct recording *r)
{
	segment_close(&r->segment);
}

uint32_t recording_main(const struct recording *r, const struct settings *settings)
{
	unsigned pid = settings->pid ? settings->pid : settings->started;

	return pid ? pick_process(&r->segment, (pid_t)pid) : pick_main(&r->segment);
}
