/* massif_custom.c -- an allocator of its own, known by Valgrind's macros: blocks in a mapping, some
 * freed, some resized, among blocks of malloc.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <sys/mman.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_MALLOCLIKE_BLOCK(a, b, c, d)
#define VALGRIND_FREELIKE_BLOCK(a, b)
#define VALGRIND_RESIZEINPLACE_BLOCK(a, b, c, d)
#endif

static char *next, *start;

static __attribute__((noinline)) void *custom_alloc(size_t size)
{
	void *block = next;

	next += (size + 15) & ~(size_t)15;
	VALGRIND_MALLOCLIKE_BLOCK(block, size, 0, 0);
	return block;
}

static __attribute__((noinline)) void custom_free(void *block)
{
	VALGRIND_FREELIKE_BLOCK(block, 0);
}

static __attribute__((noinline)) void custom_resize(void *block, size_t from, size_t to)
{
	VALGRIND_RESIZEINPLACE_BLOCK(block, from, to, 0);
}

static __attribute__((noinline)) void *make(size_t size)
{
	return custom_alloc(size);
}

int main(void)
{
	void *kept[10], *large;

	start = next = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	custom_alloc(400);
	for (int i = 0; i < 10; i++)
		kept[i] = make(1000 + 17 * (size_t)i);
	custom_free((void *)10); /* unknown */
	void *block = malloc(2000);
	for (int i = 0; i < 10; i += 2)
		custom_free(kept[i]);
	large = make(5000);
	custom_resize(large, 5000, 7000);
	custom_resize(large, 7000, 100);
	custom_resize(start + 100000, 7000, 100); /* unknown */
	for (int i = 0; i < 40; i++)
		custom_free(custom_alloc(30 * (size_t)i));
	free(block);
	make(0);
	return 0;
}
