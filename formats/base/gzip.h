/* gzip.h -- write a stream in the format of gzip(1).
 *
 * gzip_zlib.c compresses; without zlib gzip_noz.c writes blocks that are not compressed, which
 * every reader understands.
 *
 * Source RFC 1952; RFC 1951, section 3.2.4.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FORMATS_BASE_GZIP_H
#define FORMATS_BASE_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct gzip;

/* gzip_open -- begin a stream on OUT, which stays the caller's. Returns NULL without memory. */
struct gzip *gzip_open(FILE *out);

/* gzip_write -- more bytes. Errors of OUT stay with it. */
void gzip_write(struct gzip *g, const void *data, size_t size);

/* gzip_close -- end the stream and release G; NULL allowed. */
void gzip_close(struct gzip *g);

#endif
