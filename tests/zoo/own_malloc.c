/* own_malloc.c -- a malloc that the program brings with it: blocks from one large mapping. What is
 * freed is used again, in powers of two, so that no program needs more room the longer it runs. It
 * takes no lock, so every fork and handler may call it.
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
static _Atomic size_t used = 16;

enum { CLASSES = 21 }; /* above 1 MiB blocks are not used again */

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

/* The free blocks of a power of two: the number of the first one, in units of 16 bytes from the
 * start, below the number of changes, so that no thread takes a first one that was away meanwhile. */
static _Atomic uint64_t free_list[CLASSES];

static _Atomic uint32_t *next_of(uint32_t number)
{
	return (_Atomic uint32_t *)(start + (size_t)number * 16);
}

static uint64_t changed(uint64_t list, uint32_t first)
{
	return ((list >> 32) + 1) << 32 | first;
}

/* Returns a free block's number, or 0. */
static uint32_t pop_block(unsigned int class)
{
	uint64_t list = atomic_load(&free_list[class]);

	while ((uint32_t)list != 0 &&
	       !atomic_compare_exchange_weak(&free_list[class], &list,
					     changed(list, atomic_load(next_of((uint32_t)list)))))
		;
	return (uint32_t)list;
}

static void push_block(unsigned int class, uint32_t number)
{
	uint64_t list = atomic_load(&free_list[class]);

	do
		atomic_store(next_of(number), (uint32_t)list);
	while (!atomic_compare_exchange_weak(&free_list[class], &list, changed(list, number)));
}

/* Returns the power of two for SIZE bytes and what stands before them, 0 if they are too many. */
static unsigned int class_of(size_t size)
{
	unsigned int class = 5;

	while (class < CLASSES && (size_t)1 << class < size + 16)
		class++;
	return class < CLASSES ? class : 0;
}

/* Returns where a block of SIZE bytes can be, from the start. */
static size_t find_room(size_t align, size_t size, unsigned int class)
{
	uint32_t number = class ? pop_block(class) : 0;
	size_t whole = class ? (size_t)1 << class : (size + align + 31) & ~(size_t)15;
	size_t at = number ? (size_t)number * 16 : atomic_fetch_add(&used, whole);

	return (at + 16 + align - 1) & ~(align - 1);
}

/* The size and the class stand before the block. */
static void *take(size_t align, size_t size)
{
	char *base = region();
	unsigned int class;
	size_t at;

	if (!base || size > room || align > room) {
		errno = ENOMEM;
		return NULL;
	}
	class = align <= 16 ? class_of(size) : 0;
	at = find_room(align < 16 ? 16 : align, size, class);
	if (at + size > room) {
		errno = ENOMEM;
		return NULL;
	}
	((size_t *)(base + at))[-2] = size;
	((size_t *)(base + at))[-1] = class;
	return base + at;
}

/* What is freed must not be used: its contents are gone. */
static void give_back(void *block)
{
	size_t *words = block;

	memset(block, 0xdd, words[-2]);
	if (words[-1])
		push_block((unsigned int)words[-1],
			   (uint32_t)(((char *)block - 16 - start) / 16));
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

void free(void *block)
{
	if (block)
		give_back(block);
}

void *calloc(size_t count, size_t size)
{
	size_t whole;
	void *block;

	if (__builtin_mul_overflow(count, size, &whole))
		whole = SIZE_MAX;
	block = take(16, whole);
	/* A block that is not used again is new, and new memory is zero. */
	if (block && ((size_t *)block)[-1])
		memset(block, 0, whole);
	return block;
}

size_t malloc_usable_size(void *block)
{
	return block ? ((size_t *)block)[-2] : 0;
}

/* glibc's makes its own heap ready first, without a lock: of two threads that are the first to call it
 * one may see half of it, and dies. */
int malloc_trim(size_t pad)
{
	(void)pad;
	return 0;
}

void *realloc(void *block, size_t size)
{
	void *moved = take(16, size);

	if (moved && block)
		memcpy(moved, block, malloc_usable_size(block) < size ? malloc_usable_size(block) : size);
	if (moved && block)
		give_back(block);
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
