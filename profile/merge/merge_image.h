/* merge_image.h -- Writes a merge as a kept recording of one process, which all reports can read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/base/error.h"
#include "profile/merge/merge.h"

/* merge_image_write -- Writes the sums of all processes to an empty file.
 *
 * The process has ID 0 and no threads. Its times are CLOCK_REALTIME; its heap over time is that of
 * the sum, as a hundred snapshots of which the one at the peak alone has places. Its heap at the
 * end is what processes had at their ends, at most the peak: they did not end together.
 * fd  for reading and writing; borrowed.
 * Returns 0, or -1 with ERR.
 */
int merge_image_write(const struct merge *m, int fd, struct mu_error *err);
