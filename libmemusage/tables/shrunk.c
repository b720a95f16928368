/* shrunk.c -- a small hash table with deletion, under a lock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/shrunk.h"

#include <stddef.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/spin.h"
#include "recording/blocks.h"
#include "recording/slop.h"

#define FIRST_LOG2 8

struct room {
	uint64_t address; /* 0: empty */
	uint64_t bytes;
};

static struct room *rooms;
static unsigned int rooms_log2;
static uint64_t used;

static uint64_t mask(void)
{
	return (UINT64_C(1) << rooms_log2) - 1;
}

static uint64_t home(uint64_t address)
{
	return address * UINT64_C(0x9E3779B97F4A7C15) >> (64 - rooms_log2);
}

static void insert(uint64_t address, uint64_t bytes)
{
	uint64_t i = home(address);

	while (rooms[i].address && rooms[i].address != address)
		i = (i + 1) & mask();
	used += !rooms[i].address;
	rooms[i] = (struct room){ address, bytes };
}

static bool grow(void)
{
	struct room *old = rooms;
	unsigned int old_log2 = rooms_log2;
	unsigned int log2 = old ? old_log2 + 1 : FIRST_LOG2;
	struct room *bigger = memory_map(sizeof(*bigger) << log2);

	if (!bigger)
		return false;
	rooms = bigger;
	rooms_log2 = log2;
	used = 0;
	for (uint64_t i = 0; old && i < UINT64_C(1) << old_log2; i++)
		if (old[i].address)
			insert(old[i].address, old[i].bytes);
	if (old)
		memory_unmap(old, sizeof(*old) << old_log2);
	return true;
}

/* Closes the gap that a removal leaves, so that later probes need no marker. */
static void remove_at(uint64_t gap)
{
	for (uint64_t i = (gap + 1) & mask(); rooms[i].address; i = (i + 1) & mask()) {
		uint64_t wanted = home(rooms[i].address);
		bool reachable = ((i - wanted) & mask()) < ((i - gap) & mask());
		if (!reachable) {
			rooms[gap] = rooms[i];
			gap = i;
		}
	}
	rooms[gap].address = 0;
	used--;
}

bool slack_put(uint64_t address, uint64_t size, uint64_t room, uint64_t *birth)
{
	uint64_t units = (room - size - mu_slop(size)) / 16;
	bool ok;

	if (units <= MU_SLACK_UNITS && units * 16 + mu_slop(size) + size == room) {
		*birth = (*birth & MU_SLACK_TIME) | units << MU_SLACK_SHIFT | MU_BIRTH_SLACK;
		return true;
	}
	if (!spin_lock(&locks.shrunk))
		return false;
	ok = (rooms && used * 2 < mask()) || grow();
	if (ok)
		insert(address, room);
	spin_unlock(&locks.shrunk);
	if (ok)
		*birth = (*birth & MU_SLACK_TIME) | MU_BIRTH_SLACK;
	return ok;
}

uint64_t slack_take(uint64_t address, uint64_t size, uint64_t birth)
{
	uint64_t room = 0;

	if (MU_SLACK(birth))
		return mu_slop(size) + MU_SLACK(birth);
	if (!rooms || !spin_lock(&locks.shrunk))
		return 0;
	for (uint64_t i = home(address); rooms[i].address; i = (i + 1) & mask())
		if (rooms[i].address == address) {
			room = rooms[i].bytes;
			remove_at(i);
			break;
		}
	spin_unlock(&locks.shrunk);
	return room ? room - size : 0;
}
