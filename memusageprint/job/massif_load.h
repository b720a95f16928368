/* massif_load.h -- Reads a massif.out for a report, or the part that a cut file still has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/massif.h"
#include "memusageprint/job/input.h"

/* massif_load -- Reads the whole file.
 *
 * m  overwritten; the caller calls massif_free() in any case.
 * Returns 0, or -1 after a warning if the file is damaged. M then holds the whole snapshots of a
 * file that was cut short, which can be printed, or no snapshot at all.
 */
int massif_load(struct massif_file *m, struct input *in);
