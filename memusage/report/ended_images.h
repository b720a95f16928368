/* ended_images.h -- what a collector knows of images that have ended, for one that takes its place.
 *
 * A nameless file that the launcher has open, too: should something kill the collector, the next
 * one begins with what it had to report. Results are sparse, and take some 2 KiB each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_ENDED_IMAGES_H
#define MEMUSAGE_REPORT_ENDED_IMAGES_H

#include <sys/types.h>

#include "memusage/report/report.h"
#include "profile/read/result.h"

/* ended_images_open -- an empty one. Returns its descriptor; -1, which the others accept, if there
 * can be none: then what has ended is lost with the collector. */
int ended_images_open(void);

/* ended_images_add -- an image has ended. What cannot be written is left out.
 *
 * slot  its own, with its process ID as we see it.
 */
void ended_images_add(int fd, enum report_role role, const struct mu_slot *slot,
		      const struct result *result);

/* ended_images_replay -- report everything that a spill holds, in order.
 *
 * last   the slot of the last one, as far as segment_is_same() looks; unchanged if there is none.
 *        It may not have been freed yet.
 * The last entry may have been cut short by the collector's death: it is dropped, and the next one
 * takes its place.
 */
void ended_images_replay(int fd, struct report *report, struct mu_slot *last);

#endif
