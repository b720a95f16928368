/* image.h -- the image of this process: its header, the process that it describes, its end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_LIFECYCLE_IMAGE_H
#define LIBMEMUSAGE_LIFECYCLE_IMAGE_H

#include <stdbool.h>

#include "libmemusage/image/slot.h"

/* image_begin -- make a new image in a claimed, zeroed slot and make it this process's.
 *
 * Sets rec.base, image, slot, pid; fills in header, process, empty tables; the slot becomes
 * LIVE. Returns false if there is no memory for it (the slot is then given up).
 */
bool image_begin(const struct slot *slot);

/* image_inherit -- in a forked child: take over the copy that the parent made.
 *
 * The slot becomes FORKED; the counters of all threads are retired into it, and remembered
 * as the history at the fork. Async-signal-safe.
 */
void image_inherit(const struct slot *slot);

/* image_leave_to_parent -- replace the image by a private copy in a forked child.
 *
 * For a child that resumes where a signal handler interrupted the hook, in the middle of an event
 * of its parent: it finishes that event on the copy, at the same addresses, which no process reads.
 * Async-signal-safe. Without memory for the copy the end of that event counts twice in the parent's
 * image.
 */
void image_leave_to_parent(void);

/* image_exit -- note that exit handlers ran, and the caller's final stack mark. */
void image_exit(void);

#endif
