/* memory.c -- private memory of the recorder.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/memory.h"

#include <sys/mman.h>

#include "libmemusage/sys.h"

static uint64_t mapped;

void *memory_map(uint64_t size)
{
	long result = SYS6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed(result))
		return NULL;
	__atomic_fetch_add(&mapped, size, __ATOMIC_RELAXED);
	return (void *)result;
}

void memory_unmap(void *start, uint64_t size)
{
	SYS2(SYS_munmap, start, size);
	__atomic_fetch_sub(&mapped, size, __ATOMIC_RELAXED);
}

uint64_t memory_private_bytes(void)
{
	return __atomic_load_n(&mapped, __ATOMIC_RELAXED);
}
