/* remote_samples.h -- The timeline of a running process, as its collector keeps it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/common/samples.h"
#include "memusage/record/live.h"

/* remote_samples_read -- Reads the samples of the image of L.
 *
 * fd       of struct control_samples, in any state; -1: there are none.
 * samples  overwritten; free with samples_free().
 * Returns SAMPLES, or NULL if the file has none of the image.
 */
const struct samples *remote_samples_read(struct samples *samples, int fd, const struct live *l);
