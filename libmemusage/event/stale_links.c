/* stale_links.c -- clear the link of a free list that an allocator has left in a new block.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/event/stale_links.h"

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/real.h"

/* The functions behind the ones below. */
static struct {
	void *(*malloc)(size_t);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	bool in_new;
} links;

static void *clear_first_word(void *block, size_t size)
{
	if (block && size >= sizeof(void *))
		*(void **)block = NULL;
	return block;
}

static void *cleared_malloc(size_t size)
{
	return clear_first_word(links.malloc(size), size);
}

static void *cleared_memalign(size_t align, size_t size)
{
	return clear_first_word(links.memalign(align, size), size);
}

static void *cleared_aligned_alloc(size_t align, size_t size)
{
	return clear_first_word(links.aligned_alloc(align, size), size);
}

static int cleared_posix_memalign(void **result, size_t align, size_t size)
{
	int error = links.posix_memalign(result, align, size);

	if (!error)
		clear_first_word(*result, size);
	return error;
}

void stale_links_start(void)
{
	const struct link_map *object = lookup_next_object("malloc");

	if (!object || object == lookup_object("gnu_get_libc_version"))
		return;
	links.malloc = real.malloc;
	links.memalign = real.memalign;
	links.aligned_alloc = real.aligned_alloc;
	links.posix_memalign = real.posix_memalign;
	links.in_new = lookup_next_object("_Znwm") == object;
	real.malloc = cleared_malloc;
	real.memalign = cleared_memalign;
	real.aligned_alloc = cleared_aligned_alloc;
	real.posix_memalign = cleared_posix_memalign;
}

void stale_links_clear_new(void *block, size_t size)
{
	if (links.in_new)
		clear_first_word(block, size);
}
