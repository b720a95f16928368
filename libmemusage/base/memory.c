/* memory.c -- private memory of the recorder.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/memory.h"

#include <string.h>
#include <sys/mman.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "recording/recording.h"

#define OWN_FIRST 128u

struct own {
	uint64_t start, size;
};

static uint64_t mapped;
static uint64_t *published; /* NULL: no image yet */
static struct own first[OWN_FIRST];
static struct own *own = first;
static uint64_t own_count, own_room = OWN_FIRST;

static void *map(uint64_t size)
{
	long result = SYS6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed(result))
		return NULL;
	/* A core of the program is to be its own. */
	SYS3(SYS_madvise, result, size, MADV_DONTDUMP);
	return (void *)result;
}

static void note(uint64_t start, uint64_t size)
{
	own[own_count++] = (struct own){ start, size };
}

static void forget(uint64_t start)
{
	for (uint64_t i = own_count; i-- > 0;)
		if (own[i].start == start) {
			own[i] = own[--own_count];
			return;
		}
}

/* Room for two more: the list notes itself. */
static bool make_room(void)
{
	struct own *old = own, *bigger;
	uint64_t bytes = own_room * sizeof(*own);

	if (own_count + 2 <= own_room)
		return true;
	bigger = map(2 * bytes);
	if (!bigger)
		return false;
	memcpy(bigger, own, own_count * sizeof(*own));
	own = bigger;
	own_room *= 2;
	if (old != first) {
		SYS2(SYS_munmap, old, bytes);
		forget((uint64_t)old);
	}
	note((uint64_t)bigger, 2 * bytes);
	return true;
}

void memory_register(uint64_t start, uint64_t size)
{
	if (!spin_lock(&locks.memory))
		return;
	if (make_room())
		note(start, size);
	spin_unlock(&locks.memory);
}

void memory_unregister(uint64_t start)
{
	if (!spin_lock(&locks.memory))
		return;
	forget(start);
	spin_unlock(&locks.memory);
}

uint64_t memory_for_each(void (*visit)(uint64_t start, uint64_t size, void *data), void *data)
{
	uint64_t count;

	if (!spin_lock(&locks.memory))
		return 0;
	count = own_count;
	for (uint64_t i = 0; visit && i < count; i++)
		visit(own[i].start, own[i].size, data);
	spin_unlock(&locks.memory);
	return count;
}

void memory_count(uint64_t change)
{
	uint64_t now = __atomic_add_fetch(&mapped, change, __ATOMIC_RELAXED);

	if (published)
		__atomic_store_n(published, now, __ATOMIC_RELAXED);
}

void memory_publish(uint64_t *where)
{
	published = where;
}

void *memory_reserve(uint64_t size)
{
	void *result = map(size);

	if (result)
		memory_register((uint64_t)result, size);
	return result;
}

void *memory_map(uint64_t size)
{
	void *result = memory_reserve(size);

	if (result)
		memory_count(size);
	return result;
}

void memory_unmap(void *start, uint64_t size)
{
	memory_unregister((uint64_t)start);
	SYS2(SYS_munmap, start, size);
	memory_count(-size);
}

bool memory_grow_numbers(uint32_t **array, uint32_t *count, uint32_t index)
{
	uint32_t more = *count ? *count : MU_PAGE / sizeof(uint32_t);
	uint32_t *bigger;

	while (more <= index && more < UINT32_MAX / 2)
		more *= 2;
	bigger = memory_map((uint64_t)more * sizeof(*bigger));
	if (!bigger)
		return false;
	if (*array) {
		uint64_t bytes = (uint64_t)*count * sizeof(*bigger);

		memcpy(bigger, *array, bytes);
		memory_unmap(*array, bytes);
	}
	*array = bigger;
	*count = more;
	return true;
}

uint64_t memory_private_bytes(void)
{
	return __atomic_load_n(&mapped, __ATOMIC_RELAXED);
}
