/* tempfile.h -- a nameless file for what must be read twice or written out of order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/base/error.h"

/* tempfile_open -- an empty file without a name in $TMPDIR, or /tmp.
 *
 * It vanishes with its last descriptor, so a killed program leaves nothing behind.
 * Returns a descriptor (close-on-exec) for the caller to close, or -1.
 */
int tempfile_open(struct mu_error *err);

/* tempfile_copy -- copy FROM, from its current position to its end, to the position of TO.
 *
 * limit  more bytes than this are an error: an endless pipe must not fill the disk.
 * Returns 0 or -1. Cost: one buffer of 64 KiB.
 */
int tempfile_copy(int from, int to, uint64_t limit, struct mu_error *err);

/* tempfile_write -- write all SIZE bytes of DATA at the position of FD; 0 or -1. */
int tempfile_write(int fd, const void *data, size_t size, struct mu_error *err);
