/* gunzip.c -- Reads files that may be compressed, by zlib.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/gunzip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/xmalloc.h"

enum { BUFFER_BYTES = 128 << 10, READ_MAX = 1 << 30 };

struct gunzip {
	gzFile file;
	uint64_t out;		/* bytes that a compressed file gave so far */
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
	g->file = xcheck(gzdopen(copy, "rb"));
	gzbuffer(g->file, BUFFER_BYTES);
	return g;
}

static int report_failure(struct gunzip *g, struct mu_error *err)
{
	int code, saved = errno;

	gzerror(g->file, &code);
	if (code == Z_ERRNO && saved == EISDIR)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "is a directory");
	errno = saved;
	if (code == Z_ERRNO)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot read: %m");
	if (code == Z_MEM_ERROR)
		xno_memory();
	if (code == Z_BUF_ERROR)
		return mu_error_set(err, MU_ERROR_TRUNCATED, 0,
				    "the compressed data ends too early");
	return mu_error_set(err, MU_ERROR_FORMAT, 0, "the compressed data is damaged");
}

/* A file of a few kilobytes must not become gigabytes: readers take memory by what comes here. */
static bool is_too_compressed(struct gunzip *g, int bytes)
{
	z_off_t in = gzoffset(g->file);

	/* How much of a pipe was read is not known: the limits of the readers must do. */
	if (gzdirect(g->file) || in < 0)
		return false;
	g->out += (uint64_t)bytes;
	return g->out > GUNZIP_FREE &&
	       (g->out - GUNZIP_FREE) / GUNZIP_RATIO > (uint64_t)in;
}

/* zlib returns all data of a file that ends too early before it reports that. */
ssize_t gunzip_read(struct gunzip *g, void *data, size_t size, struct mu_error *err)
{
	int n = gzread(g->file, data, size < READ_MAX ? (unsigned)size : READ_MAX);
	int code;

	if (n > 0 && is_too_compressed(g, n))
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "a compressed file that becomes more than %d times as large: "
				    "decompress it first (zcat) if it is a profile", GUNZIP_RATIO);
	if (n > 0)
		return n;
	gzerror(g->file, &code);
	if (n < 0 || (code != Z_OK && code != Z_STREAM_END))
		return report_failure(g, err);
	return 0;
}

bool gunzip_is_compressed(struct gunzip *g)
{
	return !gzdirect(g->file);
}

void gunzip_close(struct gunzip *g)
{
	if (!g)
		return;
	gzclose_r(g->file);
	free(g);
}
