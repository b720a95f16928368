/* gunzip.h -- the bytes of a file that may be compressed by gzip(1).
 *
 * What does not begin like a compressed file is passed on as it is, so that a reader need not
 * know. gunzip_zlib.c does it; without zlib gunzip_noz.c reads plain files and says what to do
 * with the others.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FORMATS_BASE_GUNZIP_H
#define FORMATS_BASE_GUNZIP_H

#include <stddef.h>
#include <sys/types.h>

#include "profile/base/error.h"

/* Profiles have 5 to 30 bytes for each byte of their compressed file, gzip(1) makes 1030 of
 * zeros. */
enum { GUNZIP_FREE = 64 << 20, GUNZIP_RATIO = 64 };

struct gunzip;

/* gunzip_open -- read FD from its current position on.
 *
 * fd   file or pipe, borrowed; a duplicate is read.
 * Returns a reader to be closed, or NULL with ERR.
 */
struct gunzip *gunzip_open(int fd, struct mu_error *err);

/* gunzip_read -- the next bytes.
 *
 * size  at most 2^30; more is asked for in vain.
 * Returns how many were stored, 0 at the end, -1 with ERR:
 *   MU_ERROR_TRUNCATED  the compressed data ends too early; all before it has been returned
 *   MU_ERROR_FORMAT     it is damaged, or so compressed that it is no profile: more than
 *                       GUNZIP_FREE bytes and GUNZIP_RATIO for each byte of the file
 *   MU_ERROR_SYSTEM     it cannot be read
 */
ssize_t gunzip_read(struct gunzip *g, void *data, size_t size, struct mu_error *err);

/* gunzip_close -- release the reader; NULL allowed. */
void gunzip_close(struct gunzip *g);

#endif
