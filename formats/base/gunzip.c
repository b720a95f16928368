/* gunzip.c -- Reads files that may be compressed, by zlib.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/gunzip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/xmalloc.h"

enum { BUFFER_BYTES = 128 << 10, READ_MAX = 1 << 30, MAGIC_BYTES = 2, GZIP_WINDOW = 15 + 16 };

/* zlib's gzread() is no use: since 1.3.2 it takes a compressed file that is cut short for whole. */
struct gunzip {
	int fd;
	bool is_at_end;		/* of the file */
	bool is_known;		/* whether it is compressed */
	bool is_compressed;
	bool is_in_member;	/* the next byte belongs to a compressed member that has begun */
	uint64_t in;		/* bytes that were read from the file */
	uint64_t out;		/* bytes that a compressed file gave so far */
	z_stream z;		/* its input is what of BUFFER is left */
	unsigned char buffer[BUFFER_BYTES];
};

struct gunzip *gunzip_open(int fd, struct mu_error *err)
{
	struct gunzip *g;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy < 0) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot read: %m");
		return NULL;
	}
	g = xcalloc(1, sizeof(*g));
	g->fd = copy;
	g->z.next_in = g->buffer;
	if (inflateInit2(&g->z, GZIP_WINDOW) != Z_OK)
		xno_memory();
	return g;
}

static ssize_t read_file(struct gunzip *g, void *data, size_t size, struct mu_error *err)
{
	ssize_t n = 0;

	if (!g->is_at_end)
		do
			n = read(g->fd, data, size < READ_MAX ? size : READ_MAX);
		while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EISDIR)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "is a directory");
	if (n < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot read: %m");
	g->is_at_end = n == 0;
	g->in += (uint64_t)n;
	return n;
}

/* Read until COUNT bytes are in the buffer, or fewer at the end of the file; 0 or -1. */
static int fill_buffer(struct gunzip *g, unsigned count, struct mu_error *err)
{
	if (g->z.avail_in < count) {
		memmove(g->buffer, g->z.next_in, g->z.avail_in);
		g->z.next_in = g->buffer;
	}
	while (g->z.avail_in < count && !g->is_at_end) {
		unsigned there = g->z.avail_in;
		ssize_t n = read_file(g, g->buffer + there, BUFFER_BYTES - there, err);

		if (n < 0)
			return -1;
		g->z.avail_in += (unsigned)n;
	}
	return 0;
}

/* Tells whether a compressed member begins here (RFC 1952, 2.3.1). */
static bool member_begins(const struct gunzip *g)
{
	return g->z.avail_in >= MAGIC_BYTES && g->z.next_in[0] == 0x1f && g->z.next_in[1] == 0x8b;
}

static int look_at_beginning(struct gunzip *g, struct mu_error *err)
{
	if (fill_buffer(g, MAGIC_BYTES, err) < 0)
		return -1;
	g->is_known = true;
	g->is_compressed = g->is_in_member = member_begins(g);
	return 0;
}

static ssize_t pass_on(struct gunzip *g, void *data, size_t size, struct mu_error *err)
{
	if (g->z.avail_in == 0)
		return read_file(g, data, size, err);
	if (size > g->z.avail_in)
		size = g->z.avail_in;
	memcpy(data, g->z.next_in, size);
	g->z.next_in += size;
	g->z.avail_in -= (unsigned)size;
	return (ssize_t)size;
}

/* Bytes behind the last member are ignored, as by gzip(1), unless a member is cut short there. */
static int begin_next_member(struct gunzip *g, struct mu_error *err)
{
	if (fill_buffer(g, MAGIC_BYTES, err) < 0)
		return -1;
	g->is_in_member = member_begins(g) || (g->z.avail_in == 1 && g->z.next_in[0] == 0x1f);
	if (g->is_in_member)
		inflateReset(&g->z);
	return 0;
}

/* Decompress what the buffer has, or read more if that gives nothing; 0 or -1. An error comes
 * again with the next call, so that what was decompressed before it can be returned first. */
static int advance(struct gunzip *g, struct mu_error *err)
{
	switch (inflate(&g->z, Z_NO_FLUSH)) {
	case Z_OK:
		return 0;
	case Z_STREAM_END:
		return begin_next_member(g, err);
	case Z_BUF_ERROR:
		if (fill_buffer(g, 1, err) < 0)
			return -1;
		if (g->z.avail_in == 0)
			return mu_error_set(err, MU_ERROR_TRUNCATED, 0,
					    "the compressed data ends too early");
		return 0;
	case Z_MEM_ERROR:
		xno_memory();
	default:
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "the compressed data is damaged");
	}
}

/* A file of a few kilobytes must not become gigabytes: readers take memory by what comes here. */
static bool is_too_compressed(const struct gunzip *g)
{
	return g->out > GUNZIP_FREE &&
	       (g->out - GUNZIP_FREE) / GUNZIP_RATIO > g->in - g->z.avail_in;
}

static ssize_t decompress(struct gunzip *g, void *data, size_t size, struct mu_error *err)
{
	unsigned room = size < READ_MAX ? (unsigned)size : READ_MAX;

	g->z.next_out = data;
	g->z.avail_out = room;
	while (g->is_in_member && g->z.avail_out > 0)
		if (advance(g, err) < 0) {
			if (g->z.avail_out == room)
				return -1;
			break;
		}
	g->out += room - g->z.avail_out;
	if (is_too_compressed(g))
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "a compressed file that becomes more than %d times as large: "
				    "decompress it first (zcat) if it is a profile", GUNZIP_RATIO);
	return room - g->z.avail_out;
}

ssize_t gunzip_read(struct gunzip *g, void *data, size_t size, struct mu_error *err)
{
	if (!g->is_known && look_at_beginning(g, err) < 0)
		return -1;
	return g->is_compressed ? decompress(g, data, size, err) : pass_on(g, data, size, err);
}

bool gunzip_is_compressed(struct gunzip *g)
{
	return g->is_compressed;
}

void gunzip_close(struct gunzip *g)
{
	if (!g)
		return;
	inflateEnd(&g->z);
	close(g->fd);
	free(g);
}
