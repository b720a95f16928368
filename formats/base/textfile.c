/* textfile.c -- a text file, plain or compressed, line by line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/textfile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "formats/base/gunzip.h"
#include "formats/base/tempfile.h"

enum { FIRST_ROOM = 128 << 10 };

int textfile_open(struct textfile *in, int fd, struct mu_error *err)
{
	*in = (struct textfile){ .room = FIRST_ROOM };
	in->source = gunzip_open(fd, err);
	if (!in->source)
		return -1;
	in->buffer = xmalloc(in->room);
	return 0;
}

/* Make room behind what is there, then add some bytes to it; 0 at the end, 1, or -1. */
static int fill_line_buffer(struct textfile *in, struct mu_error *err)
{
	ssize_t n;

	if (in->at > 0) {
		memmove(in->buffer, in->buffer + in->at, in->end - in->at);
		in->end -= in->at;
		in->at = 0;
	}
	if (in->end == in->room)
		in->buffer = xreallocarray(in->buffer, in->room *= 2, 1);
	n = gunzip_read(in->source, in->buffer + in->end, in->room - in->end, err);
	if (n > 0)
		in->end += (size_t)n;
	if (n == 0)
		in->is_at_end = true;
	return n < 0 ? -1 : n > 0;
}

ssize_t textfile_peek(struct textfile *in, const char **data, struct mu_error *err)
{
	while (in->end < TEXTFILE_PEEK_MAX && !in->is_at_end) {
		if (fill_line_buffer(in, err) >= 0)
			continue;
		/* A broken end does not hide the beginning; the next read tells of it again. */
		if (in->end == 0)
			return -1;
		break;
	}
	*data = in->buffer;
	return (ssize_t)(in->end < TEXTFILE_PEEK_MAX ? in->end : TEXTFILE_PEEK_MAX);
}

static void deliver_line(struct textfile *in, size_t length, bool has_end)
{
	in->line = in->buffer + in->at;
	in->length = length;
	in->has_end = has_end;
	in->number++;
	in->offset = in->next_offset;
	in->at += length + has_end;
	in->next_offset += length + has_end;
	if (length > 0 && in->line[length - 1] == '\r')
		in->length--;
}

int textfile_line(struct textfile *in, struct mu_error *err)
{
	size_t searched = 0;

	for (;;) {
		const char *from = in->buffer + in->at;
		size_t there = in->end - in->at;
		const char *newline = memchr(from + searched, '\n', there - searched);

		size_t length = newline ? (size_t)(newline - from) : there;

		if (length > TEXTFILE_LINE_MAX)
			return mu_error_set(err, MU_ERROR_FORMAT, in->next_offset,
					    "line %llu: longer than %d bytes",
					    (unsigned long long)in->number + 1, TEXTFILE_LINE_MAX);
		if (newline || (in->is_at_end && there > 0)) {
			deliver_line(in, length, newline);
			return 1;
		}
		if (in->is_at_end)
			return 0;
		searched = there;
		if (fill_line_buffer(in, err) < 0)
			return -1;
	}
}

ssize_t textfile_read(struct textfile *in, void *data, size_t size, struct mu_error *err)
{
	size_t there = in->end - in->at;

	if (there == 0 && in->is_at_end)
		return 0;
	if (there == 0)
		return gunzip_read(in->source, data, size, err);
	if (size > there)
		size = there;
	memcpy(data, in->buffer + in->at, size);
	in->at += size;
	return (ssize_t)size;
}

bool textfile_is_compressed(const struct textfile *in)
{
	return gunzip_is_compressed(in->source);
}

int textfile_spool(struct textfile *in, uint64_t limit, struct mu_error *err)
{
	int fd = tempfile_open(err);
	char *chunk = xmalloc(FIRST_ROOM);
	uint64_t copied = 0;
	ssize_t n = 1;

	while (fd >= 0 && n > 0) {
		n = textfile_read(in, chunk, FIRST_ROOM, err);
		copied += n > 0 ? (uint64_t)n : 0;
		if (copied > limit)
			n = mu_error_set(err, MU_ERROR_SYSTEM, limit,
					 "more than %llu bytes of input",
					 (unsigned long long)limit);
		if (n > 0 && tempfile_write(fd, chunk, (size_t)n, err) < 0)
			n = -1;
	}
	free(chunk);
	if (fd >= 0 && (n < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void textfile_close(struct textfile *in)
{
	gunzip_close(in->source);
	free(in->buffer);
	in->source = NULL;
	in->buffer = NULL;
}
