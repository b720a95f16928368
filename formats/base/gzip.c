/* gzip.c -- Writes a stream in the format of gzip(1), by zlib.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/gzip.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "cli/xmalloc.h"

enum { OUT_BYTES = 64 << 10, GZIP_WINDOW = 15 + 16 };

struct gzip {
	FILE *out;
	z_stream z;
	unsigned char buffer[OUT_BYTES];
};

struct gzip *gzip_open(FILE *out)
{
	struct gzip *g = xcalloc(1, sizeof(*g));

	g->out = out;
	/* No file name and no time in the header: the same profile gives the same bytes. */
	if (deflateInit2(&g->z, 6, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		xno_memory();
	return g;
}

static void write_deflated(struct gzip *g, int flush)
{
	do {
		g->z.next_out = g->buffer;
		g->z.avail_out = OUT_BYTES;
		deflate(&g->z, flush);
		fwrite(g->buffer, 1, OUT_BYTES - g->z.avail_out, g->out);
	} while (g->z.avail_out == 0);
}

void gzip_write(struct gzip *g, const void *data, size_t size)
{
	const unsigned char *from = data;

	while (size > 0) {
		unsigned int part = size < OUT_BYTES ? (unsigned int)size : OUT_BYTES;

		g->z.next_in = (unsigned char *)(uintptr_t)from;
		g->z.avail_in = part;
		write_deflated(g, Z_NO_FLUSH);
		from += part;
		size -= part;
	}
}

void gzip_close(struct gzip *g)
{
	write_deflated(g, Z_FINISH);
	deflateEnd(&g->z);
	free(g);
}
