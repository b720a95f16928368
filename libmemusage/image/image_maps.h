/* image_maps.h -- the parts of a segment that this process has in memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

/* Either the whole segment, or its header and what is mapped of the image. */
struct image_maps {
	struct mu_segment *segment;
	uint64_t segment_mapped; /* bytes, 0 if only the header is mapped */
	uint64_t header;	 /* bytes of the header and the slot table */
	uint8_t *base;		 /* of the image */
	uint64_t capacity;	 /* bytes from base on */
	uint64_t gap_start, gap_end; /* offsets between which nothing is mapped, 0: no gap */
};

/* image_maps_now -- return what this process has mapped. Async-signal-safe. */
struct image_maps image_maps_now(void);

/* image_maps_drop -- unmap all of it. Nothing may use it any more. Async-signal-safe. */
void image_maps_drop(const struct image_maps *maps);

/* image_maps_unmap -- unmap the pages in [from, to), if there are any. Async-signal-safe. */
void image_maps_unmap(uint8_t *from, uint8_t *to);

/* image_maps_unmap_others -- unmap all slots of the segment but that of this image.
 *
 * Does nothing if only the header and this image are mapped. Async-signal-safe.
 */
void image_maps_unmap_others(void);

/* image_maps_replace -- put another slot in the place of the image, at the same addresses.
 *
 * fd    of a segment with the same geometry, which has a copy of the image in slot `index`; -1:
 *       zeroed private memory takes the place of everything.
 * Other slots of the old segment are unmapped. The old slot is given up after its last use; without
 * a copy it is what the collector reports.
 * Returns false if the system refused a part; private memory is there instead.
 * No other thread may be in the hook. Async-signal-safe.
 */
bool image_maps_replace(const struct image_maps *maps, int fd, uint32_t index);
