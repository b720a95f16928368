/* image.h -- the image of this process: its header, who it is, how it ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_IMAGE_H
#define LIBMEMUSAGE_IMAGE_H

#include <stdbool.h>

#include "libmemusage/slot.h"

/* image_begin -- make a fresh image in a claimed, zeroed slot and make it this process's.
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

/* image_exit -- note that exit handlers ran, and the caller's final stack mark. */
void image_exit(void);

#endif
