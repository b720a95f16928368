/* memory.c -- private memory of the recorder.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/memory.h"

#include <string.h>
#include <sys/mman.h>

#include "libmemusage/recorder.h"
#include "libmemusage/sys.h"

static uint64_t mapped;

static void account(uint64_t change)
{
	uint64_t now = __atomic_add_fetch(&mapped, change, __ATOMIC_RELAXED);

	if (rec.image)
		__atomic_store_n(&rec.image->recorder_private, now, __ATOMIC_RELAXED);
}

void *memory_map(uint64_t size)
{
	long result = SYS6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed(result))
		return NULL;
	account(size);
	return (void *)result;
}

void memory_unmap(void *start, uint64_t size)
{
	SYS2(SYS_munmap, start, size);
	account(-size);
}

bool memory_numbers(uint32_t **array, uint32_t *count, uint32_t index)
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
