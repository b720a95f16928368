/* data_input.c -- Reads the data file of a run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/data_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "formats/base/tempfile.h"
#include "memusagestat/input_file.h"
#include "recording/recording.h"

enum { BATCH = 8192, BEGINNING = 256 };

static void die_of_input_error(const struct data_input *in, const struct mu_error *err)
{
	if (err->code == MU_ERROR_FORMAT || err->code == MU_ERROR_TRUNCATED)
		die("%s: %s (at byte %llu)", in->name, err->text, (unsigned long long)err->offset);
	die("%s: %s", in->name, err->text);
}

/* Dies of a file that is no data file, and says what it seems to be. */
static void die_of_other_file(const struct data_input *in, const void *data, size_t size,
			      const struct mu_error *err)
{
	struct file_guess guess = file_type_guess(data, size);

	if (size == 0)
		die("%s: is empty: nothing was written to it", in->name);
	if (!guess.what || (err->code != MU_ERROR_FORMAT && err->code != MU_ERROR_TRUNCATED))
		die_of_input_error(in, err);
	die("%s: this is %s: %s", in->name, guess.what,
	    guess.advice ? guess.advice : "memusagestat draws data files (memusage --data), "
					  "recordings, massif.out files and DHAT's JSON");
}

/* Reads the first bytes of a pipe, so that a wrong kind of input is refused before it is copied. */
static size_t read_first_bytes(const struct data_input *in, int fd, void *data, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(fd, (char *)data + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			die("%s: cannot read: %m", in->name);
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return done;
}

static void refuse_recording(const struct data_input *in, const void *data, size_t size)
{
	uint64_t magic;

	if (size < sizeof(magic))
		return;
	memcpy(&magic, data, sizeof(magic));
	if (magic == MU_SEGMENT_MAGIC)
		die("%s: this is a recording, but the classic theme draws data files only: name "
		    "the file, without --theme=classic, or run memusage with --data=FILE",
		    in->name);
}

/* Replaces the pipe by a nameless file with its contents. The headers are checked first, not after
 * gigabytes: `yes | memusagestat -` ends at once. */
static void copy_pipe_to_file(struct data_input *in)
{
	struct dat_record beginning[DAT_HEADERS];
	struct dat_reader trial;
	struct mu_error err;
	int spool = tempfile_open(&err);
	size_t size;

	if (spool < 0)
		die_of_input_error(in, &err);
	size = read_first_bytes(in, in->fd, beginning, sizeof(beginning));
	refuse_recording(in, beginning, size);
	if (tempfile_write(spool, beginning, size, &err) < 0)
		die_of_input_error(in, &err);
	if (dat_open(&trial, spool, &err) < 0)
		die_of_other_file(in, beginning, size, &err);
	if (tempfile_copy(in->fd, spool, INPUT_PIPE_LIMIT, &err) < 0)
		die_of_input_error(in, &err);
	if (in->fd != STDIN_FILENO)
		close(in->fd);
	in->fd = spool;
}

static void open_data_file(struct data_input *in, const char *name)
{
	uint64_t beginning;
	bool is_regular;
	ssize_t n;

	in->fd = input_file_open_descriptor(name, in->name, &is_regular);
	if (!is_regular) {
		copy_pipe_to_file(in);
		return;
	}
	in->fd = input_file_decompress(in->fd, in->name);
	n = pread(in->fd, &beginning, sizeof(beginning), 0);
	refuse_recording(in, &beginning, n < 0 ? 0 : (size_t)n);
}

static void warn_of_repairs(const struct data_input *in, const struct dat_info *info)
{
	unsigned long long events = info->records;

	if (info->repairs & DAT_CUT)
		warn("%s: the last %u bytes are an incomplete record and are left out", in->name,
		     info->cut_bytes);
	if (info->repairs & DAT_UNFINISHED)
		warn("%s: the run did not end normally: its peaks and end are those of its %llu "
		     "events", in->name, events);
	if (info->repairs & DAT_EXCEEDED)
		warn("%s: events exceed the peaks that the file states: they set the scale",
		     in->name);
	if (info->repairs & DAT_TIME)
		warn("%s: the end is before the start: the time of the last event is used",
		     in->name);
	if (info->is_swapped)
		warn("%s: the byte order is that of another machine, and is converted", in->name);
}

/* Makes the first pass, which completes the dat_info of the reader. */
static void read_all_events(struct data_input *in)
{
	struct dat_record *batch = xmalloc(BATCH * sizeof(*batch));
	struct mu_error err;
	ssize_t n;

	progress_begin(&in->progress, in->name, 2 * in->dat.info.records);
	while ((n = dat_read(&in->dat, batch, BATCH, &err)) > 0)
		progress_update(&in->progress, in->dat.next);
	progress_end(&in->progress);
	free(batch);
	if (n < 0)
		die_of_input_error(in, &err);
	dat_rewind(&in->dat);
}

void data_input_open(struct data_input *in, const char *name)
{
	char beginning[BEGINNING];
	struct mu_error err;

	*in = (struct data_input){ .name = strcmp(name, "-") == 0 ? "standard input" : name };
	open_data_file(in, name);
	if (dat_open(&in->dat, in->fd, &err) < 0) {
		ssize_t size = pread(in->fd, beginning, sizeof(beginning), 0);

		die_of_other_file(in, beginning, size > 0 ? (size_t)size : 0, &err);
	}
	read_all_events(in);
	warn_of_repairs(in, &in->dat.info);
}

size_t data_input_read(struct data_input *in, struct dat_record *batch, size_t max)
{
	struct mu_error err;
	ssize_t n = dat_read(&in->dat, batch, max, &err);

	if (n > 0)
		progress_update(&in->progress, in->dat.info.records + in->dat.next);
	else
		progress_end(&in->progress);
	if (n < 0)
		die_of_input_error(in, &err);
	return (size_t)n;
}

void data_input_close(struct data_input *in)
{
	if (in->fd != STDIN_FILENO)
		close(in->fd);
}
