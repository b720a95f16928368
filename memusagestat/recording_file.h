/* recording_file.h -- Opens a recording, also one that is still being written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/base/error.h"
#include "profile/read/segment.h"

/* recording_file_open -- Opens FILE; takes a copy with the processes that still run in the place of
 * a file that is being written.
 *
 * s  the caller calls segment_close() after a success.
 * Returns 0, or -1 with ERR.
 */
int recording_file_open(struct segment *s, const char *file, struct mu_error *err);
