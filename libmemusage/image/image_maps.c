/* image_maps.c -- the parts of a segment that this process has in memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/image_maps.h"

#include <stddef.h>
#include <sys/mman.h>

#include "libmemusage/base/memory.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/slot.h"

struct image_maps image_maps_now(void)
{
	return (struct image_maps){ .segment = rec.segment,
				    .segment_mapped = rec.segment_mapped,
				    .header = rec.segment->slots,
				    .base = rec.base,
				    .capacity = rec.capacity,
				    .gap_start = rec.gap_start,
				    .gap_end = rec.gap_end };
}

void image_maps_unmap(uint8_t *from, uint8_t *to)
{
	if (from < to)
		PROGRAM_SYS2(SYS_munmap, from, to - from);
}

void image_maps_drop(const struct image_maps *maps)
{
	uint8_t *start = (uint8_t *)maps->segment;

	memory_unregister((uint64_t)start);
	if (maps->segment_mapped) {
		image_maps_unmap(start, start + maps->segment_mapped);
		return;
	}
	memory_unregister((uint64_t)maps->base);
	image_maps_unmap(start, start + maps->header);
	image_maps_unmap(maps->base,
			 maps->base + (maps->gap_end ? maps->gap_start : maps->capacity));
	if (maps->gap_end)
		image_maps_unmap(maps->base + maps->gap_end, maps->base + maps->capacity);
}

/* Maps [from, to) of the file over what is at `place`. */
static bool replace_range(uint8_t *place, int fd, uint64_t from, uint64_t to)
{
	const int kind = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	long result = SYS6(SYS_mmap, place, to - from, PROT_READ | PROT_WRITE, kind | MAP_FIXED, fd,
			   fd < 0 ? 0 : from);

	if (!sys_failed(result))
		SYS3(SYS_madvise, place, to - from, MADV_DONTDUMP);
	return !sys_failed(result);
}

static bool replace_image(const struct image_maps *maps, int fd, uint64_t offset)
{
	const uint64_t end = maps->gap_end ? maps->gap_start : maps->capacity;

	return replace_range(maps->base, fd, offset, offset + end) &&
	       (!maps->gap_end || replace_range(maps->base + maps->gap_end, fd,
						offset + maps->gap_end, offset + maps->capacity));
}

void image_maps_unmap_others(void)
{
	uint8_t *start = (uint8_t *)rec.segment;

	if (!rec.segment_mapped)
		return;
	image_maps_unmap(start + rec.segment->slots, rec.base);
	image_maps_unmap(rec.base + rec.segment->slot_size, start + rec.segment_mapped);
	rec.segment_mapped = 0;
}

bool image_maps_replace(const struct image_maps *maps, int fd, uint32_t index)
{
	const struct slot old = { .index = rec.slot, .segment = maps->segment };
	uint64_t offset = maps->header + index * maps->segment->slot_size;
	bool ok = replace_image(maps, fd, offset);

	if (!ok)
		replace_image(maps, -1, 0);
	image_maps_unmap_others();
	if (fd < 0)
		slot_leave(&old);
	else
		slot_release(&old);
	if (!replace_range((uint8_t *)maps->segment, ok ? fd : -1, 0, maps->header)) {
		replace_range((uint8_t *)maps->segment, -1, 0, maps->header);
		ok = false;
	}
	return ok;
}
