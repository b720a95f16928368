/* locks.c -- every spin lock of the recorder, in one place.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/locks.h"

#include "recording/points.h"

struct recorder_locks locks;

static void *pointer_in_image(struct mu_image *image, uint64_t offset)
{
	return (uint8_t *)image + offset;
}

void locks_free_all(struct mu_image *image)
{
	locks = (struct recorder_locks){ .arena = { 0 } };
	if (!image)
		return;
	image->heap.lock = 0;
	if (image->blocks_root)
		((struct mu_blocks *)pointer_in_image(image, image->blocks_root))->lock = 0;
	if (image->points)
		((struct mu_points *)pointer_in_image(image, image->points))->lock = 0;
	/* No thread is asking the collector. */
	image->query_wanted = 0;
	image->query_state = MU_QUERY_IDLE;
}
