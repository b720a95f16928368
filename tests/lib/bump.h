/* bump.h -- a malloc of our own, for programs that test what happens to such programs.
 *
 * Takes from a static area by one atomic add and never reuses anything: it can be called
 * from signal handlers at any moment, which libc's cannot. Include it in one file only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BUMP_BYTES ((size_t)64 << 20)

static _Alignas(16) unsigned char bump_area[BUMP_BYTES];
static size_t bump_used;
static int bump_served, bump_freed;

/* bump_owns -- whether a block came from here. */
static inline bool bump_owns(const void *block)
{
	return (uintptr_t)block - (uintptr_t)bump_area < BUMP_BYTES;
}

__attribute__((noinline)) void *malloc(size_t size)
{
	size_t need = (size + 31) & -(size_t)16;
	size_t at = need < size ? BUMP_BYTES
				: __atomic_fetch_add(&bump_used, need, __ATOMIC_RELAXED);

	if (at + need > BUMP_BYTES || at + need < at) {
		errno = ENOMEM;
		return NULL;
	}
	memcpy(bump_area + at, &size, sizeof(size));
	__atomic_fetch_add(&bump_served, 1, __ATOMIC_RELAXED);
	return bump_area + at + 16;
}

__attribute__((noinline)) void free(void *block)
{
	if (block)
		__atomic_fetch_add(&bump_freed, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) void *calloc(size_t count, size_t size)
{
	return malloc(count * size);
}

__attribute__((noinline)) void *realloc(void *block, size_t size)
{
	void *result = malloc(size);
	size_t old = 0;

	if (block)
		memcpy(&old, (unsigned char *)block - 16, sizeof(old));
	if (result && block)
		memcpy(result, block, old < size ? old : size);
	free(block);
	return result;
}
