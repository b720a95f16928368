/* gzip.h -- Writer of streams in the format of gzip(1), RFC 1952.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

struct gzip;

/* gzip_open -- Begins a stream on OUT, which stays the caller's. */
struct gzip *gzip_open(FILE *out);

/* gzip_write -- Appends bytes. OUT keeps its errors. */
void gzip_write(struct gzip *g, const void *data, size_t size);

/* gzip_close -- Ends the stream and releases G. */
void gzip_close(struct gzip *g);
