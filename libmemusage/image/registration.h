/* registration.h -- asking the collector for a slot (recording/registration.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/image_maps.h"
#include "libmemusage/image/slot.h"

/* registration_new_image -- introduce this image and map the slot it is given.
 *
 * address  value of MEMUSAGE_COLLECTOR; copied, registration_for_fork() uses it again.
 * slot     set on success.
 * Returns  false if the collector is gone or does not want this image.
 * Cost     about 50 us; waits at most 5 s for the one reply. No descriptor stays open.
 */
bool registration_new_image(const char *address, struct slot *slot);

/* registration_meet_collector -- find out which process the collector is now: rec.collector.
 *
 * Another one takes over if it is killed. The kernel's answer counts, since any process of the
 * recording could write into its header. It is 0 if the collector has no number in this PID
 * namespace. Async-signal-safe. Cost: 10 us.
 */
void registration_meet_collector(void);

/* registration_for_fork -- as registration_new_image(), for a child about to be made.
 *
 * For a parent that could not map other slots.
 */
bool registration_for_fork(struct slot *slot);

/* registration_move_image -- have the collector copy this image into a segment of another user.
 *
 * user   that the process is about to become.
 * maps   what is mapped now: the geometry of the other segment is the same.
 * index  set to the slot that has the copy. The old slot is the process's until it releases it.
 * Returns the descriptor of the other segment, which the caller closes, or -errno. No thread may
 * write into the image meanwhile. Cost: that of a copy of the image.
 */
int registration_move_image(uint32_t user, const struct image_maps *maps, uint32_t *index);
