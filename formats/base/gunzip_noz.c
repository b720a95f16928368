/* gunzip_noz.c -- the bytes of a file that may be compressed: without zlib, plain files only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/gunzip.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gunzip {
	int fd;
	bool is_begun;
};

struct gunzip *gunzip_open(int fd, struct mu_error *err)
{
	struct gunzip *g = calloc(1, sizeof(*g));

	if (!g) {
		mu_error_set(err, MU_ERROR_MEMORY, 0, "no memory");
		return NULL;
	}
	g->fd = fd;
	return g;
}

/* A pipe may deliver a single byte at first: read on until the magic can be judged. */
static ssize_t read_some(struct gunzip *g, void *data, size_t size)
{
	size_t done = 0;
	ssize_t n;

	do {
		n = read(g->fd, (char *)data + done, size - done);
		if (n > 0)
			done += (size_t)n;
	} while ((n < 0 && errno == EINTR) || (n > 0 && done < size && done < 2));
	return n < 0 ? -1 : (ssize_t)done;
}

ssize_t gunzip_read(struct gunzip *g, void *data, size_t size, struct mu_error *err)
{
	ssize_t n = read_some(g, data, size);

	if (n < 0 && errno == EISDIR)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "is a directory");
	if (n < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot read: %m");
	if (!g->is_begun && n >= 2 && memcmp(data, "\x1f\x8b", 2) == 0)
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "is compressed, and this program was built without zlib: "
				    "decompress it by gunzip(1) first");
	g->is_begun = true;
	return n;
}

void gunzip_close(struct gunzip *g)
{
	free(g);
}
