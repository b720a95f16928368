/* memory.c -- private memory of the recorder.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/memory.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "recording/recording.h"

#define OWN_FIRST 128u
/* For a sandbox: room for the tables of 200,000 places. Only what is used takes memory. */
#define PREPARED_MOST (UINT64_C(64) << 20)
#define PREPARED_LEAST (UINT64_C(1) << 20)

static struct {
	uint64_t bytes;	     /* that memory_map() and memory_count() know of */
	uint64_t *published; /* where readers find it; NULL: no image yet */
	struct mu_own_mapping *own; /* memory_list() is the address of these two */
	uint64_t count;
	uint64_t room;
	struct mu_own_mapping first[OWN_FIRST];
	uint64_t prepared, next, end; /* pages for a sandbox, and those not yet taken */
} memory = { .own = memory.first, .room = OWN_FIRST };

/* Its pages are zero, and given out once. */
static void *take_prepared_pages(uint64_t size)
{
	uint64_t from = __atomic_load_n(&memory.next, __ATOMIC_RELAXED), to;

	size = (size + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
	do {
		to = from + size;
		if (to < from || to > memory.end)
			return NULL;
	} while (!__atomic_compare_exchange_n(&memory.next, &from, to, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return (void *)from;
}

static bool is_prepared(uint64_t start)
{
	return start >= memory.prepared && start < memory.end;
}

static void *map_private_pages(uint64_t size)
{
	if (unlikely(sandbox.is_on))
		return take_prepared_pages(size);
	long result = SYS6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed(result))
		return NULL;
	/* A core dump of the program is to hold its own memory only. */
	SYS3(SYS_madvise, result, size, MADV_DONTDUMP);
	return (void *)result;
}

static void append_mapping(uint64_t start, uint64_t size)
{
	memory.own[memory.count++] = (struct mu_own_mapping){ start, size };
}

static void remove_mapping(uint64_t start)
{
	for (uint64_t i = memory.count; i-- > 0;)
		if (memory.own[i].start == start) {
			memory.own[i] = memory.own[--memory.count];
			return;
		}
}

/* Makes room for two more: the list has an entry for itself. */
static bool grow_mapping_list(void)
{
	struct mu_own_mapping *old = memory.own, *bigger;
	uint64_t bytes = memory.room * sizeof(*memory.own);

	if (memory.count + 2 <= memory.room)
		return true;
	bigger = map_private_pages(2 * bytes);
	if (!bigger)
		return false;
	memcpy(bigger, memory.own, memory.count * sizeof(*memory.own));
	memory.own = bigger;
	memory.room *= 2;
	if (old != memory.first) {
		SYS2(SYS_munmap, old, bytes);
		remove_mapping((uint64_t)old);
	}
	if (!is_prepared((uint64_t)bigger))
		append_mapping((uint64_t)bigger, 2 * bytes);
	return true;
}

void memory_register(uint64_t start, uint64_t size)
{
	if (!spin_lock(&locks.memory))
		return;
	if (grow_mapping_list())
		append_mapping(start, size);
	spin_unlock(&locks.memory);
}

bool memory_unregister(uint64_t start)
{
	if (!spin_lock(&locks.memory))
		return false;
	remove_mapping(start);
	spin_unlock(&locks.memory);
	return true;
}

uint64_t memory_for_each(void (*visit)(uint64_t start, uint64_t size, void *data), void *data)
{
	uint64_t count;

	if (!spin_lock(&locks.memory))
		return 0;
	count = memory.count;
	for (uint64_t i = 0; visit && i < count; i++)
		visit(memory.own[i].start, memory.own[i].size, data);
	spin_unlock(&locks.memory);
	return count;
}

uint64_t memory_list(void)
{
	return (uint64_t)&memory.own;
}

void memory_count(uint64_t change)
{
	uint64_t now = __atomic_add_fetch(&memory.bytes, change, __ATOMIC_RELAXED);

	if (memory.published)
		__atomic_store_n(memory.published, now, __ATOMIC_RELAXED);
}

void memory_publish(uint64_t *where)
{
	memory.published = where;
}

void *memory_reserve(uint64_t size)
{
	void *result = map_private_pages(size);

	if (result && !is_prepared((uint64_t)result))
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

/* In a sandbox the pages stay. So do those that the list still names: what the program maps there
 * later would be unmapped with the recorder. */
void memory_unmap(void *start, uint64_t size)
{
	if (!sandbox.is_on && !is_prepared((uint64_t)start) && memory_unregister((uint64_t)start))
		SYS2(SYS_munmap, start, size);
	memory_count(-size);
}

/* The program's own limits are for the program: a sixteenth at most. */
static uint64_t prepared_size(void)
{
	static const int resources[] = { RLIMIT_AS, RLIMIT_DATA };
	uint64_t size = PREPARED_MOST, limit[2];

	for (int i = 0; i < 2; i++)
		if (!sys_failed(SYS4(SYS_prlimit64, 0, resources[i], 0, limit)) &&
		    limit[0] / 16 < size)
			size = limit[0] / 16 & -(uint64_t)MU_PAGE;
	return size;
}

void memory_prepare(void)
{
	uint64_t size = prepared_size();
	void *start = NULL;

	if (memory.end)
		return;
	while (size >= PREPARED_LEAST && !(start = memory_reserve(size)))
		size = size / 2 & -(uint64_t)MU_PAGE;
	if (!start)
		return;
	/* After mlockall(MCL_FUTURE) they are all there. */
	if (!sys_failed(SYS2(SYS_munlock, start, size)))
		SYS3(SYS_madvise, start, size, MADV_DONTNEED);
	memory.prepared = memory.next = (uint64_t)start;
	memory.end = memory.next + size;
}

void memory_limit_prepared(uint64_t keep)
{
	uint64_t end = (memory.next + keep + MU_PAGE - 1) & -(uint64_t)MU_PAGE;

	if (end < memory.next || end >= memory.end)
		return;
	PROGRAM_SYS2(SYS_munmap, end, memory.end - end);
	memory.end = end;
	/* The list must not name what the program may map there. */
	memory_unregister(memory.prepared);
	memory_register(memory.prepared, end - memory.prepared);
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
