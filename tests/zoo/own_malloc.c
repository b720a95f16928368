/* own_malloc.c -- a malloc that the program brings with it: blocks from one large mapping, never used
 * again. It takes no lock, so every fork and handler may call it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static const size_t room = (size_t)400 << 20;
static char *_Atomic start;
static _Atomic size_t used;

static char *region(void)
{
	char *seen = atomic_load(&start), *made;

	if (seen)
		return seen;
	made = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (made == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(&start, &seen, made))
		return made;
	munmap(made, room);
	return seen;
}

/* The size stands before the block. */
static void *take(size_t align, size_t size)
{
	char *base = region();
	size_t whole = size + align + 16, at;

	if (!base || size > room || align > room) {
		errno = ENOMEM;
		return NULL;
	}
	if (align < 16)
		align = 16;
	at = atomic_fetch_add(&used, (whole + 31) & ~(size_t)15);
	at = (at + 16 + align - 1) & ~(align - 1);
	if (at + size > room) {
		errno = ENOMEM;
		return NULL;
	}
	*(size_t *)(base + at - 16) = size;
	return base + at;
}

static size_t power(size_t align)
{
	size_t p = 16;

	while (p < align && p < (size_t)1 << 62)
		p *= 2;
	return p;
}

void *malloc(size_t size)
{
	return take(16, size);
}

/* What is freed must not be used: its contents are gone. */
void free(void *block)
{
	if (block)
		memset(block, 0xdd, ((size_t *)block)[-2]);
}

/* New memory is zero, and none is old. */
void *calloc(size_t count, size_t size)
{
	size_t whole;

	if (__builtin_mul_overflow(count, size, &whole))
		whole = SIZE_MAX;
	return take(16, whole);
}

size_t malloc_usable_size(void *block)
{
	return block ? ((size_t *)block)[-2] : 0;
}

void *realloc(void *block, size_t size)
{
	void *moved = take(16, size);

	if (moved && block)
		memcpy(moved, block, malloc_usable_size(block) < size ? malloc_usable_size(block) : size);
	return moved;
}

void *reallocarray(void *block, size_t count, size_t size)
{
	size_t whole;

	if (__builtin_mul_overflow(count, size, &whole))
		whole = SIZE_MAX;
	return realloc(block, whole);
}

void *memalign(size_t align, size_t size)
{
	return take(power(align), size);
}

void *aligned_alloc(size_t align, size_t size)
{
	return take(power(align), size);
}

int posix_memalign(void **block, size_t align, size_t size)
{
	int error = errno;
	void *at;

	if (align < sizeof(void *) || align & (align - 1))
		return EINVAL;
	at = take(align, size);
	errno = error;
	if (at)
		*block = at;
	return at ? 0 : ENOMEM;
}

void *valloc(size_t size)
{
	return take(4096, size);
}

void *pvalloc(size_t size)
{
	return take(4096, (size + 4095) & ~(size_t)4095);
}
