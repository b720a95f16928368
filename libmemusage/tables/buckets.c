/* buckets.c -- memory for the buckets of the block table.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/buckets.h"

#include <sys/resource.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"

#define MAP_FIRST (UINT64_C(128) << 10)
#define MAP_MOST (UINT64_C(16) << 20)
#define POPULATE_MIN (UINT64_C(64) << 10)
#define POPULATE_MOST (UINT64_C(1) << 20)

static struct {
	uint64_t next, end; /* unused rest of the last mapping */
	uint64_t populated; /* end of its resident part */
	uint64_t mapped;    /* bytes so far */
	bool is_shared;
} room;

void buckets_begin(void)
{
	room.next = room.end = room.populated = room.mapped = 0;
	room.is_shared = false;
}

bool buckets_are_shared(void)
{
	return room.is_shared;
}

/* The memory that a limit allows is the program's: the image has its share of it already. */
static bool may_map_memory(void)
{
	uint64_t limit[2];

	return !sandbox.is_on && !(rec.image->notes & MU_NOTE_SMALL_ARENA) &&
	       !sys_failed(SYS4(SYS_prlimit64, 0, RLIMIT_AS, 0, limit)) &&
	       limit[0] == (uint64_t)RLIM_INFINITY;
}

static bool map_more_memory(void)
{
	uint64_t size = room.mapped < MAP_FIRST ? MAP_FIRST : room.mapped;

	size = size > MAP_MOST ? MAP_MOST : size;
	uint64_t start = (uint64_t)memory_reserve(size);
	if (!start)
		return false;
	room.next = room.populated = start;
	room.end = start + size;
	room.mapped += size;
	return true;
}

/* Makes memory resident, and counts it as ours, because reports tell it from the program's. Huge
 * pages are not used: one takes 0.2 to 4.7 ms in a virtual machine that has given memory back. */
static bool populate_memory_to(uint64_t end)
{
	uint64_t step = room.mapped / 8;

	if (end <= room.populated)
		return true;
	step = step < POPULATE_MIN ? POPULATE_MIN : step;
	step = step > POPULATE_MOST ? POPULATE_MOST : step;
	step = (end - room.populated + step - 1) / step * step;
	if (room.populated + step > room.end)
		step = room.end - room.populated;
	if (!arena_populate((void *)room.populated, step))
		return false;
	room.populated += step;
	memory_count(step);
	return true;
}

/* Takes memory of the image. Returns its address. */
static uint64_t take_image_memory(uint64_t size)
{
	uint64_t offset = arena_alloc(size, 64);

	room.is_shared = true;
	return offset ? (uint64_t)arena_at(offset) : 0;
}

uint64_t buckets_take(uint64_t size)
{
	uint64_t result = 0;

	if (!spin_lock(&locks.buckets))
		return 0;
	if ((room.end - room.next >= size || (may_map_memory() && map_more_memory())) &&
	    populate_memory_to(room.next + size)) {
		result = room.next;
		room.next += size;
	}
	spin_unlock(&locks.buckets);
	return result ? result : take_image_memory(size);
}
