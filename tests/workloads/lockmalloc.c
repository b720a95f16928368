/* lockmalloc.c -- a malloc in the executable that maps its memory with its lock held, as
 * jemalloc does: nothing may allocate from there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "tests/lib/workload.h"

enum { AREA = 16 << 20 };

static char *area;
static size_t used;
static bool locked;

void *malloc(size_t size)
{
	check(!__atomic_exchange_n(&locked, true, __ATOMIC_ACQUIRE), "not from inside");
	if (!area) {
		area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
		munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	}
	void *block = area + used;
	used += (size + 15) & -(size_t)16;
	__atomic_store_n(&locked, false, __ATOMIC_RELEASE);
	return used < AREA ? block : NULL;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t count, size_t size)
{
	return malloc(count * size);
}

void *realloc(void *block, size_t size)
{
	void *result = malloc(size);

	if (block)
		memcpy(result, block, size);
	return result;
}

int main(void)
{
	free(malloc(100));
	say("used %d", used > 0);
	return 3;
}
