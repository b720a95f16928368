/* textfile.h -- a text file, plain or compressed, line by line.
 *
 *	struct textfile in;
 *
 *	if (textfile_open(&in, fd, &err) < 0)
 *		...
 *	while ((got = textfile_line(&in, &err)) > 0)
 *		use(in.line, in.length, in.number);
 *	textfile_close(&in);
 *
 * Its beginning can be looked at before, to see what kind of file it is. Memory is bounded by
 * the longest line allowed, whatever the input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/base/error.h"

enum {
	TEXTFILE_PEEK_MAX = 4096,	/* bytes of the beginning that can be looked at */
	TEXTFILE_LINE_MAX = 1 << 20	/* C++ names of 100 kB have been seen */
};

/* `line` to `has_end` describe the current line; the others are private. */
struct textfile {
	const char *line;	/* without its end (\n or \r\n); not terminated by a zero */
	size_t length;
	uint64_t number;	/* from 1 on; 0 before the first */
	uint64_t offset;	/* of its first byte, in the decompressed text */
	bool has_end;		/* false: the file ends without a newline */
	struct gunzip *source;
	char *buffer;
	size_t room;
	size_t at, end;		/* what of the buffer is still to be delivered */
	bool is_at_end;		/* nothing more comes from the source */
	uint64_t next_offset;
};

/* textfile_open -- get ready to read FD from its current position on.
 *
 * fd   file or pipe; borrowed, and needed until textfile_close().
 * Returns 0, or -1 with ERR; closing is allowed in either case.
 */
int textfile_open(struct textfile *in, int fd, struct mu_error *err);

/* textfile_peek -- look at the first bytes, without taking them.
 *
 * data  set to them; valid until the next call.
 * Returns how many there are: TEXTFILE_PEEK_MAX, or less when the file is shorter; -1 with ERR.
 * To be called before the first line only.
 */
ssize_t textfile_peek(struct textfile *in, const char **data, struct mu_error *err);

/* textfile_line -- the next line, into in->line and the fields below it.
 *
 * Returns 1, 0 at the end, or -1 with ERR: gunzip_read()'s errors, or MU_ERROR_FORMAT for a
 * line longer than TEXTFILE_LINE_MAX.
 */
int textfile_line(struct textfile *in, struct mu_error *err);

/* textfile_read -- the next bytes, for a file that has no lines.
 *
 * Returns how many were stored, at most SIZE; 0 at the end, -1 with ERR as gunzip_read(). Not to
 * be mixed with textfile_line(); what was looked at comes again.
 */
ssize_t textfile_read(struct textfile *in, void *data, size_t size, struct mu_error *err);

/* textfile_is_compressed -- Tells whether the file is a compressed one, after textfile_peek(). */
bool textfile_is_compressed(const struct textfile *in);

/* textfile_spool -- Copies everything into a nameless file, for readers that map or seek.
 *
 * in     of which no line has been read; at its end afterwards.
 * limit  more bytes than this are an error: an endless pipe must not fill the disk.
 * Returns a descriptor at the beginning of the file, which the caller closes; -1 with ERR as
 * gunzip_read() and tempfile_write().
 */
int textfile_spool(struct textfile *in, uint64_t limit, struct mu_error *err);

/* textfile_close -- release everything; the descriptor stays open. */
void textfile_close(struct textfile *in);
