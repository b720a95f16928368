/* ended_images.h -- Results of ended images, kept for a collector that replaces a killed one.
 *
 * They are in a nameless file, which the launcher has open, too: if the collector is killed, the
 * next one begins with these results. A result is sparse and takes 300 bytes to 2 KiB; a run of
 * days may have millions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/report/report.h"
#include "profile/read/result.h"

/* The bytes from which on no more results are kept, but those of the program itself. */
#define ENDED_IMAGES_BYTES ((off_t)256 << 20)

/* ended_images_open -- Creates an empty file.
 *
 * Returns its descriptor, or -1, which the other functions accept: the results are then lost with
 * the collector.
 */
int ended_images_open(void);

/* ended_images_add -- Appends the result of an image. A failed write leaves it out.
 *
 * slot  of the image, with its process ID as we see it.
 */
void ended_images_add(int fd, enum report_role role, const struct mu_slot *slot,
		      const struct result *result);

/* ended_images_replay -- Adds all results to the report, in order; a message tells if there were
 * more than are kept.
 *
 * last  receives the slot of the last one, for segment_is_same(); unchanged if there is none. The
 *       killed collector may not have freed that slot yet.
 * Removes a last entry that the collector's end has cut short.
 */
void ended_images_replay(int fd, struct report *report, struct mu_slot *last);
