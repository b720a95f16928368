/* symbolpage.c -- an allocator under jemalloc's names has a page of mmap's; malloc gets the same page
 * then, and the allocator a block of malloc there. Prints the address in both lives.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define API __attribute__((noinline, noclone, noipa))
enum { REGION = 1 << 20, PAGE = 4096 };

static char *place;
static volatile int live;

API void *je_malloc(size_t size)
{
	live++;
	return size <= 100 ? place : NULL;
}

API void je_free(void *block)
{
	if (block)
		live--;
}

static void serve(int count)
{
	for (int i = 0; i < count; i++)
		je_free(je_malloc(100));
}

int main(void)
{
	char *region = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *block;

	place = region + 64;
	serve(100);
	printf("page %zx\n", (size_t)((uintptr_t)place / PAGE));
	munmap(region, REGION);
	block = malloc(REGION - PAGE);
	place = block + 48;
	serve(300);
	printf("page %zx\n", (size_t)((uintptr_t)place / PAGE));
	free(block);
	return live;
}
