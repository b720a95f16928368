/* patch.c -- memory for thunks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/patch.h"

#include <sys/mman.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/objects.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/unwind/patched_pc.h"

#define AREA_BYTES PATCHED_AREA_BYTES
#define TRIES 8192u
#define LOWEST (UINT64_C(1) << 16) /* vm.mmap_min_addr of most systems */
#define REACH (UINT64_C(0x7fff0000)) /* of a jump, less what the code itself takes */
#define BRK_ROOM (UINT64_C(1) << 30) /* left above an executable */

struct thunk_area {
	uint64_t start;
	uint64_t used; /* bytes from start */
};

static struct {
	struct thunk_area area[PATCHED_AREAS];
	uint32_t count;
} thunks;

static bool map_thunk_area(uint64_t start)
{
	long got = SYS6(SYS_mmap, start, AREA_BYTES, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (sys_failed(got))
		return false;
	if ((uint64_t)got == start) {
		memory_register(start, AREA_BYTES);
		return true;
	}
	/* A kernel before 4.17 takes the address for a hint. */
	SYS2(SYS_munmap, got, AREA_BYTES);
	return false;
}

/* The kernel's own choice is mostly near the libraries, and costs one call: below a library may be
 * gigabytes of threads' stacks, which would take thousands of tries. */
static uint64_t map_thunk_area_anywhere(uint64_t low, uint64_t high)
{
	const long got = SYS6(SYS_mmap, 0, AREA_BYTES, PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (sys_failed(got))
		return 0;
	if ((uint64_t)got >= low && (uint64_t)got + AREA_BYTES <= high) {
		memory_register((uint64_t)got, AREA_BYTES);
		return (uint64_t)got;
	}
	SYS2(SYS_munmap, got, AREA_BYTES);
	return 0;
}

static uint64_t take_room(struct thunk_area *from, uint32_t size)
{
	uint64_t room = from->start + from->used;

	from->used += size;
	return room;
}

static uint64_t find_room_in_areas(uint64_t low, uint64_t high, uint32_t size)
{
	for (uint32_t i = 0; i < thunks.count; i++) {
		uint64_t room = thunks.area[i].start + thunks.area[i].used;
		if (thunks.area[i].used + size <= AREA_BYTES && room >= low && room + size <= high)
			return take_room(&thunks.area[i], size);
	}
	return 0;
}

static uint64_t begin_area(uint64_t start, uint32_t size)
{
	patched_pc_add_area(start);
	thunks.area[thunks.count] = (struct thunk_area){ start, 0 };
	return take_room(&thunks.area[thunks.count++], size);
}

/* Small steps first find the holes near `high`; later ones cover the whole window. */
static uint64_t find_room_in_new_area(uint64_t low, uint64_t high, uint32_t size)
{
	uint64_t top = high & -AREA_BYTES;
	uint64_t step = AREA_BYTES;
	uint64_t anywhere = 0;

	if (thunks.count < PATCHED_AREAS)
		anywhere = map_thunk_area_anywhere(low, high);
	if (anywhere)
		return begin_area(anywhere, size);
	for (unsigned int i = 0; i < TRIES && thunks.count < PATCHED_AREAS; i++) {
		if (top < low + AREA_BYTES || top < LOWEST + AREA_BYTES)
			return 0;
		if (map_thunk_area(top - AREA_BYTES))
			return begin_area(top - AREA_BYTES, size);
		if (i % 1024 == 1023)
			step *= 2;
		top -= top > step ? step : top;
	}
	return 0;
}

uint64_t patch_room(uint64_t low, uint64_t high, uint32_t size)
{
	uint64_t room;

	size = (size + 15) & ~15u;
	if (size > MU_PAGE || low >= high || !spin_lock(&locks.patch))
		return 0;
	room = find_room_in_areas(low, high, size);
	if (!room)
		room = find_room_in_new_area(low, high, size);
	spin_unlock(&locks.patch);
	return room;
}

uint64_t patch_room_near(uint64_t start, uint64_t end, uint32_t size)
{
	struct object object;
	uint64_t low = end > REACH ? end - REACH : LOWEST;
	uint64_t high = start + REACH;
	uint64_t room;

	if (!object_of(start, &object)) {
		object.start = start;
		object.end = end;
	}
	room = patch_room(low, object.start, size);
	if (!room)
		room = patch_room(object.end + BRK_ROOM, high, size);
	return room ? room : patch_room(object.end, high, size);
}
