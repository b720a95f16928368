/* shrink.c -- mapping less of the segment than there is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/shrink.h"

#include <stddef.h>
#include <sys/resource.h>

#include "libmemusage/base/memory.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/image_maps.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/slot.h"
#include "libmemusage/image/stop.h"

#define ROOM (UINT64_C(16) << 20)

/* Log chunks at the top of the slot stay mapped; the room between them and the bottom part
 * shrinks to what is kept. */
static void shrink_image(uint64_t keep, uint64_t logs)
{
	struct mu_image *image = rec.image;

	if (keep + logs >= image->capacity)
		return;
	image_maps_unmap_others();
	image_maps_unmap(rec.base + keep, rec.base + image->capacity - logs);
	/* The logs cannot move: then tables and logs both end at the gap. */
	if (logs) {
		if (!rec.gap_end || keep < rec.gap_start)
			rec.gap_start = keep;
		if (image->capacity - logs > rec.gap_end)
			rec.gap_end = image->capacity - logs;
	} else {
		image->capacity = rec.capacity = keep;
	}
	image->notes |= MU_NOTE_SMALL_ARENA;
	slot_limit(keep);
}

static void shrink_while_stopped(uint64_t room)
{
	/* A forked child without an event yet has the mapping, too; a child of vfork uses its
	 * parent's. */
	if (!recorder_is_on() || !stop_begin(NULL))
		return;
	const struct mu_image *image = rec.image;
	memory_limit_prepared(room);
	shrink_image((image->populated + image->populated / 4 + room) & -(uint64_t)MU_PAGE,
		     image->log_bytes ? image->log_bytes + room : 0);
	stop_end();
}

void shrink_to_contents(void)
{
	const struct arena_extent extent = arena_extent();

	shrink_image(extent.tables_end, extent.log_bytes);
}

void shrink_for_lock(void)
{
	uint64_t limit[2];

	/* Mapped memory counts against it, touched or not; beyond it mlockall() would fail. */
	if (sys_failed(SYS4(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, limit)))
		limit[0] = UINT64_MAX;
	shrink_while_stopped(limit[0] / 8 < ROOM ? limit[0] / 8 : ROOM);
}

void shrink_for_limit(uint64_t bytes)
{
	uint64_t mapped = rec.segment_mapped;

	if (!mapped && rec.image)
		mapped = rec.capacity;
	/* With what is prepared for a sandbox. */
	if (mapped > bytes / 16 || sandbox.is_on)
		shrink_while_stopped(bytes / 16);
}

void shrink_for_data(uint64_t bytes)
{
	if (!sandbox.is_on || !recorder_is_on() || !stop_begin(NULL))
		return;
	memory_limit_prepared(bytes / 16);
	stop_end();
}
