/* gunzip.h -- Reader of files that gzip(1) may have compressed.
 *
 * A file that does not begin like a compressed one is passed on as it is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "profile/base/error.h"

/* A compressed profile grows to 5 to 30 times its size; gzip(1) shrinks zeros to 1/1030. */
enum { GUNZIP_FREE = 64 << 20, GUNZIP_RATIO = 64 };

struct gunzip;

/* gunzip_open -- Starts to read FD from its current position.
 *
 * fd   file or pipe, borrowed: a duplicate is read.
 * Returns a reader for gunzip_close(), or NULL with ERR.
 */
struct gunzip *gunzip_open(int fd, struct mu_error *err);

/* gunzip_read -- Reads the next bytes.
 *
 * size  of DATA, bytes; at most 2^30 are read.
 * Returns how many bytes were stored, 0 at the end, -1 with ERR:
 *   MU_ERROR_TRUNCATED  the compressed data ends too early; all before it has been returned
 *   MU_ERROR_FORMAT     it is damaged, or too compressed for a profile: more than
 *                       GUNZIP_FREE bytes and GUNZIP_RATIO for each byte of the file
 *   MU_ERROR_SYSTEM     it cannot be read
 */
ssize_t gunzip_read(struct gunzip *g, void *data, size_t size, struct mu_error *err);

/* gunzip_is_compressed -- Tells whether the file is a compressed one, after the first read. */
bool gunzip_is_compressed(struct gunzip *g);

/* gunzip_close -- Releases the reader; NULL is allowed. */
void gunzip_close(struct gunzip *g);
