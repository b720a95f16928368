/* lockmalloc.c -- a malloc in the executable that maps its memory with its lock held, as
 * jemalloc does: nothing may allocate from there.
 *
 * free is too short to be changed: it only returns, and no padding follows. That is assembly, for
 * clang puts every function at a multiple of 16. Nothing is inlined, which would hide the calls.
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

__attribute__((noinline)) void *malloc(size_t size)
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

__asm__(".text\n"
	".globl free\n"
	".type free, %function\n"
	"free:\n"
	".cfi_startproc\n"
	"	ret\n"
	".cfi_endproc\n"
	".size free, . - free\n"
	"	ret\n	ret\n	ret\n	ret\n	ret\n");

__attribute__((noinline)) void *calloc(size_t count, size_t size)
{
	return malloc(count * size);
}

__attribute__((noinline)) void *realloc(void *block, size_t size)
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
