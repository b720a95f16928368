/* merged_file.c -- All processes of several recordings as a recording of one process (--merge).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/merged_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/temporary.h"
#include "cli/xmalloc.h"
#include "formats/base/textfile.h"
#include "formats/file_type.h"
#include "memusagestat/input_file.h"
#include "memusagestat/recording_file.h"
#include "profile/merge/merge_image.h"

/* Opens the contents of a recording that gzip(1) may have compressed. Returns 0; or -1 with ERR. */
static int open_contents(struct segment *s, const char *file, struct textfile *text, bool is_file,
			 struct mu_error *err)
{
	const char *data = "";
	const ssize_t size = textfile_peek(text, &data, err);
	const enum input_kind kind = size > 0 ? file_type_of(data, (size_t)size) : INPUT_UNKNOWN;
	int copy, result;

	if (size < 0)
		return -1;
	if (!is_file)
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "is no regular file: --merge reads recordings twice");
	if (size == 0)
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "is empty: nothing was written to it");
	if (kind != INPUT_RECORDING)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "this is %s: --merge reads "
				    "recordings (memusage --record)", file_type_name(kind));
	if (!textfile_is_compressed(text))
		return recording_file_open(s, file, err);
	copy = textfile_spool(text, INPUT_PIPE_LIMIT, err);
	result = copy < 0 ? -1 : segment_open_fd(s, copy, err);
	if (copy >= 0)
		close(copy);
	return result;
}

/* Refuses a file of which nothing can be read; warns of one that is cut short. */
static int check_damage(struct segment *s, const char *file)
{
	char damage[SEGMENT_DAMAGE_LENGTH];
	uint32_t whole;

	if (s->missing == 0)
		return 0;
	whole = segment_damage(s, damage);
	warn("%s: %s", file, damage);
	if (whole > 0)
		return 0;
	segment_close(s);
	return -1;
}

/* Several threads call it. */
static int open_one(void *data, uint32_t number, struct segment *s)
{
	const struct settings *settings = data;
	const char *file = settings->file[number];
	const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct textfile text;
	struct mu_error err;
	struct stat st;
	int result;

	if (fd < 0 || fstat(fd, &st) < 0) {
		warn("cannot open %s: %m", file);
		return -1;
	}
	input_file_check_output(fd, settings->html ? settings->html : settings->output,
				settings->html ? "page" : "picture");
	result = textfile_open(&text, fd, &err);
	if (result == 0) {
		result = open_contents(s, file, &text, S_ISREG(st.st_mode), &err);
		textfile_close(&text);
	}
	close(fd);
	if (result < 0) {
		warn("%s: %s", file, err.text);
		return -1;
	}
	return check_damage(s, file);
}

static void close_one(void *data, struct segment *s)
{
	(void)data;
	segment_close(s);
}

void merged_file_open(struct merged_file *m, const struct settings *settings)
{
	static const char nameless[] = "/proc/self/fd/";
	const struct merge_source source = { .count = settings->files,
					     .readers = settings->readers,
					     .data = (void *)settings, .hold = message_hold,
					     .open = open_one, .close = close_one };
	const int fd = temporary_open_or_die();
	struct mu_error err;

	*m = (struct merged_file){ .result = 0 };
	if (merge_run(&m->merge, &source, temporary_open_or_die(), &err) < 0 ||
	    merge_image_write(&m->merge, fd, &err) < 0)
		die("cannot merge: %s", err.text);
	m->path = xasprintf("/proc/self/fd/%d", fd);
	m->name = xasprintf("%u recording%s", settings->files, settings->files == 1 ? "" : "s");
	if (strncmp(settings->file[0], nameless, sizeof(nameless) - 1) != 0)
		m->file = settings->file;
	m->result = m->merge.failed > 0 || m->merge.cut > 0 ? -1 : 0;
}

void merged_file_close(struct merged_file *m)
{
	merge_free(&m->merge);
	free(m->path);
	free(m->name);
}
