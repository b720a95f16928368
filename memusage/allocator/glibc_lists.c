/* glibc_lists.c -- Free blocks of glibc's malloc that look as if they were in use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/allocator/glibc_lists.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "profile/base/array.h"

enum {
	SMALL_BINS = 64,	/* of a cache: one size each */
	SMALL_MOST = 0x410,	/* of these; other bins have larger chunks */
	BLOCKS_MOST = 1 << 25,	/* of all lists: 1 GiB of the smallest, 512 MiB here */
	LOOK_BLOCKS = 1024,	/* between two looks at the clock */
	STORAGE_MOST = 1 << 16,	/* bytes below a thread pointer that are searched */
	DISABLED_AFTER = 8
};

#define SIZE_FLAGS UINT64_C(7)
#define ALIGNMENT UINT64_C(16)

/* struct tcache_perthread_struct. */
struct cache {
	uint16_t count[CACHE_BINS_MOST];
	uint64_t entry[CACHE_BINS_MOST];
};

static enum heap_result is_busy(struct glibc_lists *l, const char *why)
{
	snprintf(l->why, WHY_BYTES, "%s", why);
	return HEAP_BUSY;
}

static void append_block(struct glibc_lists *l, uint64_t address, bool is_fast, bool is_own)
{
	array_reserve(&l->block, &l->room, l->count + UINT64_C(1), sizeof(*l->block));
	l->block[l->count++] = (struct listed_block){ address, is_fast, is_own };
}

/* Since 2.32 a link is stored with the address that it is at, shifted by a page. */
static uint64_t decode_link(const struct glibc_layout *layout, uint64_t at, uint64_t stored)
{
	return layout->mangles ? stored ^ at >> 12 : stored;
}

static bool may_be_block(const struct heap_memory *m, uint64_t address)
{
	return address && address % ALIGNMENT == 0 && heap_memory_is_data(m, address);
}

/* Reads the size of the chunk of a block, and the first word of the block. */
static bool read_block(const struct heap_memory *m, uint64_t address, uint64_t word[2])
{
	return may_be_block(m, address) && heap_memory_read(m, address - 8, word, 16);
}

/* ---- caches of threads ------------------------------------------------------------------- */

/* A free chunk is used whole if what would be left of it is no chunk. */
static bool is_cache_size(const struct glibc_form *f, uint64_t size)
{
	return size == f->cache_chunk || size == f->cache_chunk + ALIGNMENT;
}

static bool read_cache(const struct heap_memory *m, const struct glibc_layout *layout,
		       uint64_t address, struct cache *c)
{
	const struct glibc_form *f = layout->form;
	const uint64_t entries = address + f->cache_bins * sizeof(*c->count);
	uint64_t word[2];

	if (!read_block(m, address, word) || !is_cache_size(f, word[0] & ~SIZE_FLAGS) ||
	    word[0] & 2 ||
	    !heap_memory_read(m, address, c->count, f->cache_bins * sizeof(*c->count)) ||
	    !heap_memory_read(m, entries, c->entry, f->cache_bins * sizeof(*c->entry)))
		return false;
	for (unsigned int i = 0; i < f->cache_bins; i++) {
		if (f->counts_room && c->count[i] > layout->cache_most)
			return false;
		if (f->counts_room)
			c->count[i] = (uint16_t)(layout->cache_most - c->count[i]);
		if ((c->entry[i] != 0 && !may_be_block(m, c->entry[i])) ||
		    (c->count[i] != 0 && c->entry[i] == 0))
			return false;
	}
	return true;
}

static bool is_size_of_bin(uint64_t size, unsigned int bin)
{
	return bin < SMALL_BINS ? size == (uint64_t)bin * 16 + 32 : size > SMALL_MOST;
}

static enum heap_result add_cache(struct glibc_lists *l, const struct heap_memory *m,
				  const struct glibc_layout *layout, uint64_t address,
				  const struct cache *c)
{
	append_block(l, address, false, true);
	l->caches++;
	for (unsigned int i = 0; i < layout->form->cache_bins; i++) {
		uint64_t at = c->entry[i], word[2];
		unsigned int count = 0;

		for (; at && count < c->count[i]; count++) {
			if (!read_block(m, at, word) ||
			    !is_size_of_bin(word[0] & ~(ALIGNMENT - 1), i))
				return is_busy(l, "the cache of a thread is being changed");
			append_block(l, at, false, false);
			at = decode_link(layout, at, word[1]);
		}
		if (count != c->count[i] || at)
			return is_busy(l, "the cache of a thread is being changed");
	}
	return HEAP_OK;
}

/* Since 2.42 a thread without one has a pointer to an empty one in libc. */
static bool has_no_cache(const struct heap_memory *m, const struct glibc_layout *layout,
			 uint64_t address)
{
	const struct area *a = address_space_find(m->space, address);

	return address == 0 || (layout->form->counts_room && a &&
				(a->flags & AREA_FILE || a->name[0] == '\0') &&
				!heap_memory_is_data(m, address));
}

/* Static thread-local storage has one layout for all threads: where one has the pointer to its
 * cache, others have it, too. Returns the distance below the thread pointer, 0 if none is found. */
static uint64_t find_cache_pointer(const struct heap_memory *m, const struct glibc_layout *layout,
				   uint64_t base)
{
	static uint64_t word[STORAGE_MOST / 8];
	const struct area *a = address_space_find(m->space, base - 8);
	uint64_t low = base - STORAGE_MOST;
	struct cache c;

	if (!a)
		return 0;
	low = a->start > low ? a->start : low;
	if (!heap_memory_read(m, low, word, base - low))
		return 0;
	/* Words near the base are libc's or the program's; farther below may be the stack. */
	for (uint64_t at = base - 8; at >= low && at < base; at -= 8) {
		if (read_cache(m, layout, word[(at - low) / 8], &c))
			return base - at;
	}
	return 0;
}

/* The empty cache is zeroed constant data of libc, and DISABLED_AFTER behind it is another one. */
static bool is_empty_cache(const struct heap_memory *m, const struct glibc_form *f,
			   uint64_t address)
{
	static const unsigned char nothing[sizeof(struct cache) + DISABLED_AFTER];
	const size_t size = f->cache_bins * (sizeof(uint16_t) + sizeof(uint64_t)) + DISABLED_AFTER;
	const struct area *a = address_space_find(m->space, address);
	unsigned char bytes[sizeof(nothing)];

	return a && !(a->flags & AREA_WRITE) && glibc_layout_is_libc(a->name) &&
	       heap_memory_read(m, address, bytes, size) && memcmp(bytes, nothing, size) == 0;
}

/* Tells whether all threads have the pointer to the same empty cache at the same place. */
static bool have_empty_cache(const struct heap_memory *m, uint64_t below, uint64_t empty)
{
	uint64_t address;

	for (uint32_t i = 0; i < m->threads; i++) {
		if (!heap_memory_read(m, m->thread[i] - below, &address, sizeof(address)) ||
		    (address != empty && address != empty + DISABLED_AFTER))
			return false;
	}
	return true;
}

/* Since 2.42 a thread gets a cache with its first free(). */
static bool has_freed_nothing(const struct heap_memory *m, const struct glibc_layout *layout)
{
	uint64_t word;

	if (!layout->form->counts_room || m->threads == 0)
		return false;
	for (uint64_t below = 8; below <= STORAGE_MOST; below += 8) {
		if (!heap_memory_read(m, m->thread[0] - below, &word, sizeof(word)))
			return false;
		if (is_empty_cache(m, layout->form, word) && have_empty_cache(m, below, word))
			return true;
	}
	return false;
}

enum heap_result glibc_lists_add_caches(struct glibc_lists *l, const struct heap_memory *m,
					const struct glibc_layout *layout, bool heap_is_used)
{
	enum heap_result result = HEAP_OK;
	uint64_t below = 0, address;
	struct cache c;

	for (uint32_t i = 0; i < m->threads && !below; i++)
		below = find_cache_pointer(m, layout, m->thread[i]);
	if (!below && heap_is_used && !has_freed_nothing(m, layout)) {
		snprintf(l->why, WHY_BYTES, "the caches of its threads were not found");
		return HEAP_REFUSED;
	}
	for (uint32_t i = 0; i < m->threads && below && result == HEAP_OK; i++) {
		if (!heap_memory_read(m, m->thread[i] - below, &address, sizeof(address)))
			return is_busy(l, "a thread is just beginning or ending");
		if (has_no_cache(m, layout, address))
			continue;
		if (!read_cache(m, layout, address, &c))
			return is_busy(l, "the cache of a thread is being changed");
		result = add_cache(l, m, layout, address, &c);
	}
	return result;
}

/* ---- fast bins --------------------------------------------------------------------------- */

/* A list may lead to its own beginning, and many arenas to one list. */
static bool is_too_long(const struct glibc_lists *l)
{
	return l->count >= BLOCKS_MOST ||
	       (l->end_ns && l->count % LOOK_BLOCKS == LOOK_BLOCKS - 1 &&
		clock_now(CLOCK_PROCESS_CPUTIME_ID) > l->end_ns);
}

enum heap_result glibc_lists_add_fast(struct glibc_lists *l, const struct heap_memory *m,
				      const struct glibc_layout *layout, uint64_t arena)
{
	uint64_t bin[ARENA_FAST_COUNT], word[2];

	if (layout->form->fast_bins == 0)
		return HEAP_OK;
	if (!heap_memory_read(m, arena + layout->form->fast_bins, bin, sizeof(bin)))
		return is_busy(l, "an arena is gone");
	for (unsigned int i = 0; i < ARENA_FAST_COUNT; i++) {
		/* It leads to the header of a chunk, 16 bytes before the block. */
		for (uint64_t at = bin[i]; at;) {
			if (is_too_long(l))
				return HEAP_TOO_LARGE;
			if (!read_block(m, at + 16, word) ||
			    (word[0] & ~(ALIGNMENT - 1)) != (uint64_t)i * 16 + 32)
				return is_busy(l, "a list of free blocks is being changed");
			append_block(l, at + 16, true, false);
			at = decode_link(layout, at + 16, word[1]);
		}
	}
	return HEAP_OK;
}

/* ---- all --------------------------------------------------------------------------------- */

static int compare_blocks(const void *a, const void *b)
{
	const struct listed_block *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

void glibc_lists_sort(struct glibc_lists *l)
{
	if (l->count > 0)
		qsort(l->block, l->count, sizeof(*l->block), compare_blocks);
}

uint32_t glibc_lists_first(const struct glibc_lists *l, uint64_t address)
{
	return (uint32_t)array_first_from(l->block, l->count, sizeof(*l->block),
					  offsetof(struct listed_block, address), address);
}

void glibc_lists_free(struct glibc_lists *l)
{
	free(l->block);
	l->block = NULL;
	l->count = l->room = 0;
}
