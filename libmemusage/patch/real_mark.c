/* real_mark.c -- marking the calls of real functions.
 *
 * An allocator behind us may have functions that --alloc-symbol names, and call them itself. These
 * wrappers are used only with that option.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/real_mark.h"

#include "libmemusage/base/real.h"

static struct real behind;
static __thread uint32_t depth;

#define MARKED(name, type, params, args)           \
	static type marked_##name params           \
	{                                          \
		depth++;                           \
		type result = behind.name args;    \
		depth--;                           \
		return result;                     \
	}
#define MARKED_VOID(name, params, args)  \
	static void marked_##name params \
	{                                \
		depth++;                 \
		behind.name args;        \
		depth--;                 \
	}

MARKED(malloc, void *, (size_t size), (size))
MARKED(calloc, void *, (size_t count, size_t size), (count, size))
MARKED(realloc, void *, (void *block, size_t size), (block, size))
MARKED(memalign, void *, (size_t align, size_t size), (align, size))
MARKED(aligned_alloc, void *, (size_t align, size_t size), (align, size))
MARKED(posix_memalign, int, (void **result_at, size_t align, size_t size),
       (result_at, align, size))
MARKED(valloc, void *, (size_t size), (size))
MARKED(pvalloc, void *, (size_t size), (size))
MARKED_VOID(free, (void *block), (block))
MARKED_VOID(free_sized, (void *block, size_t size), (block, size))
MARKED_VOID(free_aligned_sized, (void *block, size_t align, size_t size), (block, align, size))

void real_mark(void)
{
	if (behind.malloc)
		return;
	behind = real;
	real.malloc = marked_malloc;
	real.calloc = marked_calloc;
	real.realloc = marked_realloc;
	real.memalign = marked_memalign;
	real.aligned_alloc = marked_aligned_alloc;
	real.posix_memalign = marked_posix_memalign;
	real.valloc = marked_valloc;
	real.pvalloc = marked_pvalloc;
	real.free = marked_free;
	if (real.free_sized)
		real.free_sized = marked_free_sized;
	if (real.free_aligned_sized)
		real.free_aligned_sized = marked_free_aligned_sized;
}

bool real_is_inside(void)
{
	return depth > 0;
}
