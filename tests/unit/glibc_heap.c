/* glibc_heap.c -- the walk of a heap counts the blocks of a made-up process exactly, in each form that
 * releases of glibc have, and refuses or tries again where something does not fit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/allocator/glibc_heap.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

/* Where things are in the made-up process. */
#define TEXT UINT64_C(0x7f0000000000)
#define DATA UINT64_C(0x7f0000010000)
#define STORAGE UINT64_C(0x7f0000100000)
#define HEAP UINT64_C(0x555500000000)
#define PART UINT64_C(0x7e0000000000)
#define NEXT_PART UINT64_C(0x7e0004000000)
#define MAPPED UINT64_C(0x7d0000000000)

#define PARAMETERS (DATA + 0x100)
#define ARENA (DATA + 0x400)

enum {
	REGIONS = 7, HEAP_BYTES = 0x21000, PART_BYTES = 0x21000, MAPPED_BYTES = 0x10000,
	DATA_BYTES = 0x2000, STORAGE_BYTES = 0x3000, THREADS = 2
};

static struct area area[REGIONS] = {
	{ HEAP, HEAP + HEAP_BYTES, AREA_READ | AREA_WRITE, "[heap]" },
	{ MAPPED, MAPPED + MAPPED_BYTES, AREA_READ | AREA_WRITE, "" },
	{ PART, PART + PART_BYTES, AREA_READ | AREA_WRITE, "" },
	{ NEXT_PART, NEXT_PART + PART_BYTES, AREA_READ | AREA_WRITE, "" },
	{ TEXT, TEXT + 0x1000, AREA_READ | AREA_FILE, "/lib/libc.so.6" },
	{ DATA, DATA + DATA_BYTES, AREA_READ | AREA_WRITE | AREA_FILE, "/lib/libc.so.6" },
	{ STORAGE, STORAGE + STORAGE_BYTES, AREA_READ | AREA_WRITE, "" },
};
static unsigned char *bytes[REGIONS];
static struct address_space space = { .pagemap = -1, .touched_pagemap = -1, .area = area,
				      .count = REGIONS };
static uint64_t thread[THREADS] = { STORAGE + 0x1000, STORAGE + 0x2f00 };

static void *at(uint64_t address)
{
	for (int i = 0; i < REGIONS; i++) {
		if (address >= area[i].start && address < area[i].end)
			return bytes[i] + (address - area[i].start);
	}
	return NULL;
}

static bool read_made_up(const void *data, uint64_t address, void *to, size_t size)
{
	const void *from = at(address);

	(void)data;
	if (!from || !at(address + size - 1))
		return false;
	memcpy(to, from, size);
	return true;
}

static const struct heap_memory memory = { .space = &space, .thread = thread, .threads = THREADS,
					   .read = read_made_up };

static void put(uint64_t address, uint64_t word)
{
	memcpy(at(address), &word, sizeof(word));
}

static void put_half(uint64_t address, uint32_t word)
{
	memcpy(at(address), &word, sizeof(word));
}

/* ---- a heap of known blocks -------------------------------------------------------------- */

static unsigned int release;

static uint64_t link_at(uint64_t place, uint64_t to)
{
	return release >= 32 ? to ^ place >> 12 : to;
}

/* Offsets in struct malloc_state, and what a cache has, by release. */
static const struct glibc_form *form;
#define ARENA_TOP form->top
#define ARENA_BINS form->bins
#define ARENA_NEXT form->next
#define ARENA_SYSTEM_BYTES form->system_bytes
#define ARENA_BYTES form->bytes
#define CACHE_AT form->cache_chunk

enum { CACHE_MOST = 16 };

static void make_arena(uint64_t arena, uint64_t next, uint64_t top, uint64_t system)
{
	memset(at(arena), 0, ARENA_BYTES);
	put(arena + ARENA_TOP, top);
	for (uint64_t i = 0; i < 127; i++) {
		const uint64_t bin = arena + ARENA_BINS + 16 * i;

		put(bin, bin - 16);
		put(bin + 8, bin - 16);
	}
	put(arena + ARENA_NEXT, next);
	put(arena + ARENA_SYSTEM_BYTES, system);
}

static void make_parameters(uint64_t brk_start, uint32_t mapped, uint64_t mapped_bytes)
{
	/* Without huge pages, and with more of them. */
	const uint64_t mapped_at = release >= 43 ? 68 : release >= 35 ? 60 : 40;
	const uint64_t bytes_at = release >= 43 ? 88 : release >= 35 ? 80 : 56;

	memset(at(PARAMETERS), 0, 144); /* of which 2.44 has 136 */
	for (unsigned int i = 0; i < 3; i++)
		put(PARAMETERS + 8 * i, 131072);
	put_half(PARAMETERS + mapped_at, mapped);
	put_half(PARAMETERS + mapped_at + 4, 65536);
	put_half(PARAMETERS + mapped_at + 8, mapped + 1);
	if (release >= 43)
		put(PARAMETERS + 128, CACHE_MOST);
	put(PARAMETERS + bytes_at, mapped_bytes);
	put(PARAMETERS + bytes_at + 8, mapped_bytes);
	put(PARAMETERS + bytes_at + 16, brk_start);
}

/* Makes a chunk behind the one at *NEXT. Returns its block. */
static uint64_t make_chunk(uint64_t *next, uint64_t size, bool is_previous_used)
{
	const uint64_t chunk = *next;

	put(chunk + 8, size | is_previous_used);
	*next += size;
	return chunk + 16;
}

/* The main arena: the cache of a thread with two blocks, one block of 24 bytes, a free one, three
 * blocks of 1000, one in a fast bin, the top. */
static uint64_t cached[2], first_used, last_used;

static void make_cache(uint64_t block, unsigned int bin, const uint64_t *entry, uint16_t count)
{
	uint16_t *counts = at(block);

	memset(at(block), 0, CACHE_AT - 16);
	for (unsigned int i = 0; form->counts_room && i < form->cache_bins; i++)
		counts[i] = CACHE_MOST;
	if (count == 0)
		return;
	counts[bin] = form->counts_room ? CACHE_MOST - count : count;
	put(block + 2 * form->cache_bins + 8 * bin, entry[0]);
	for (uint16_t i = 0; i < count; i++)
		put(entry[i], link_at(entry[i], i + 1 < count ? entry[i + 1] : 0));
}

static void make_main_heap(void)
{
	uint64_t next = HEAP, cache = make_chunk(&next, CACHE_AT, true), fast;

	cached[0] = make_chunk(&next, 0x30, true);
	first_used = make_chunk(&next, 0x20, true);
	cached[1] = make_chunk(&next, 0x30, true);
	make_chunk(&next, 0x500, true);
	make_chunk(&next, 0x3f0, false);
	make_chunk(&next, 0x3f0, true);
	fast = make_chunk(&next, 0x40, true);
	last_used = make_chunk(&next, 0x3f0, true);
	make_arena(ARENA, PART + (release >= 35 ? 48 : 32), next, HEAP_BYTES);
	if (form->fast_bins) {
		put(ARENA + form->fast_bins + 2 * 8, fast - 16);
		put(fast, link_at(fast, 0));
	}
	put(next + 8, (HEAP + HEAP_BYTES - next) | 1);
	make_cache(cache, 1, cached, 2);
	put(thread[0] - 0x48, cache);
}

/* Another arena in two parts; the first one ends with two fences. */
static void make_other_heap(void)
{
	const uint64_t info = release >= 35 ? 48 : 32, arena = PART + info;
	uint64_t next = (arena + ARENA_BYTES + 15) & -UINT64_C(16), cache;

	put(PART, arena);
	put(PART + 16, PART_BYTES);
	put(NEXT_PART, arena);
	put(NEXT_PART + 8, PART);
	put(NEXT_PART + 16, PART_BYTES);
	cache = make_chunk(&next, CACHE_AT, true);
	make_cache(cache, 0, NULL, 0);
	put(thread[1] - 0x48, cache);
	make_chunk(&next, 0x1000, true);
	make_chunk(&next, PART + PART_BYTES - 32 - next, true);
	put(next + 8, 16); /* the chunk before is free */
	put(next + 16 + 8, 1);
	next = NEXT_PART + info;
	make_chunk(&next, 0x2000, true);
	make_arena(arena, ARENA, next, 2 * PART_BYTES);
	put(next + 8, (NEXT_PART + PART_BYTES - next) | 1);
}

/* One block of two pages, and one of three that is aligned to 4096; an mremap has made another size
 * of the latter, which its first header does not know. */
static void make_mapped(void)
{
	put(MAPPED + 0x1000 + 8, (0x2000 - form->mapped_tail) | 2);
	put(MAPPED + 0x3000 + 8, (0x1000 - form->mapped_tail) | 2);
	put(MAPPED + 0x4000 - 16, 0x1000 - 16);
	put(MAPPED + 0x4000 - 8, (0x2000 + 16 - form->mapped_tail) | 2);
}

static void make_process(unsigned int of_release)
{
	release = of_release;
	form = glibc_layout_form(release >= 31 && release != 42 ? release : 36);
	for (int i = 0; i < REGIONS; i++)
		memset(bytes[i], 0, area[i].end - area[i].start);
	snprintf(at(TEXT + 0x100), 100, "GNU C Library (Made up 2.%u-1) stable release version 2.%u.",
		 release, release);
	make_main_heap();
	make_other_heap();
	make_mapped();
	make_parameters(HEAP, 2, 0x5000);
}

/* ---- what a walk says -------------------------------------------------------------------- */

struct seen {
	unsigned int used, cached, free;
	uint64_t word_of_first;
};

static void see(void *data, const struct heap_chunk *chunk)
{
	struct seen *s = data;

	s->used += chunk->state == CHUNK_USED;
	s->cached += chunk->state == CHUNK_CACHED;
	s->free += chunk->state == CHUNK_FREE;
	if (chunk->address == first_used)
		s->word_of_first = chunk->word;
}

static void test_counts(unsigned int of_release)
{
	struct seen s = { .used = 0 };
	struct heap_walk walk = { .visit = see, .data = &s };
	struct glibc_heap h;

	make_process(of_release);
	put(first_used, 0x1234567);
	walk.release = glibc_layout_release(&memory);
	EQ_U(walk.release, of_release);
	EQ_U(glibc_heap_walk(&h, &memory, &walk), HEAP_OK);
	EQ_U(h.arenas, 2);
	EQ_U(h.caches, 2);
	/* What a fast bin would have is in use without them. */
	EQ_U(h.arena[0].used.blocks, form->fast_bins ? 4 : 5);
	EQ_U(h.arena[0].used.bytes, 24 + 3 * 1000 + (form->fast_bins ? 0 : 56));
	EQ_U(h.arena[0].free.bytes, 0x500 - 8);
	EQ_U(h.arena[0].cached.blocks, 2);
	EQ_U(h.arena[0].cached.bytes, 2 * 40);
	EQ_U(h.arena[0].fast.bytes, form->fast_bins ? 56 : 0);
	EQ_U(h.arena[0].system_bytes, HEAP_BYTES);
	EQ_U(h.arena[1].used.blocks, 2);
	EQ_U(h.arena[1].used.bytes, 0x3000 - 16);
	EQ_U(h.arena[1].free.blocks, 1);
	EQ_U(h.mapped.blocks, 2);
	EQ_U(h.mapped.bytes, form->fast_bins ? 0x2000 - 16 + 0x2000 : 0x2000 - 24 + 0x2000 - 8);
	IS_TRUE(h.is_mapped_exact);
	EQ_U(h.used.blocks, form->fast_bins ? 8 : 9);
	EQ_U(h.used.bytes, h.arena[0].used.bytes + h.arena[1].used.bytes + h.mapped.bytes);
	EQ_U(s.used, h.used.blocks);
	EQ_U(s.cached, form->fast_bins ? 3 : 2);
	EQ_U(s.free, 2);
	EQ_U(s.word_of_first, 0x1234567);
	glibc_heap_free(&h);
}

/* Returns the result of a walk of the process as it has become, with the reason in WHY. */
static enum heap_result walk_again(char why[160])
{
	const struct heap_walk walk = { .release = release };
	struct glibc_heap h;
	enum heap_result result = glibc_heap_walk(&h, &memory, &walk);

	memcpy(why, h.why, 160);
	glibc_heap_free(&h);
	return result;
}

static void test_flux(void)
{
	char why[160];

	make_process(36);
	put_half(PART + 48 + ARENA_LOCK, 1);
	EQ_U(walk_again(why), HEAP_BUSY);
	HAS_S(why, "in the middle of malloc");
	make_process(36);
	*(uint16_t *)at(HEAP + 16 + 2) = 1; /* a block is out of the list, and not in the count */
	EQ_U(walk_again(why), HEAP_BUSY);
	HAS_S(why, "cache of a thread");
	make_process(36);
	put(cached[0], 0x1111);
	EQ_U(walk_again(why), HEAP_BUSY);
	make_process(36);
	put(last_used - 8, 0x9991);
	EQ_U(walk_again(why), HEAP_BUSY);
	HAS_S(why, "no possible size");
	make_process(36);
	put(ARENA + form->fast_bins + 2 * 8, PART + 0x5000);
	EQ_U(walk_again(why), HEAP_BUSY);
	HAS_S(why, "list of free blocks");
	make_process(36);
	put(PART, 0);
	EQ_U(walk_again(why), HEAP_BUSY);
	HAS_S(why, "arena");
}

static void test_refusals(void)
{
	char why[160];

	make_process(36);
	put(ARENA + ARENA_NEXT, 0);
	EQ_U(walk_again(why), HEAP_REFUSED);
	HAS_S(why, "were not found");
	make_process(36);
	put(PARAMETERS + 8, 4096);
	EQ_U(walk_again(why), HEAP_REFUSED);
	HAS_S(why, "limits of its malloc");
	make_process(36);
	put(ARENA + ARENA_SYSTEM_BYTES, HEAP_BYTES - 0x1000);
	EQ_U(walk_again(why), HEAP_REFUSED);
	HAS_S(why, "something else calls brk");
	make_process(36);
	put(thread[0] - 0x48, 0);
	put(thread[1] - 0x48, 0);
	EQ_U(walk_again(why), HEAP_REFUSED);
	HAS_S(why, "caches of its threads");
	make_process(30);
	EQ_U(walk_again(why), HEAP_REFUSED);
	HAS_S(why, "glibc 2.30");
	make_process(42);
	EQ_U(walk_again(why), HEAP_REFUSED);
	HAS_S(why, "glibc 2.42");
	make_process(36);
	memset(at(TEXT), 0, 0x1000);
	EQ_U(glibc_layout_release(&memory), 0);
}

static void test_bound(void)
{
	struct heap_walk walk = { .release = 36, .chunks_most = 5 };
	struct glibc_heap h;

	make_process(36);
	EQ_U(glibc_heap_walk(&h, &memory, &walk), HEAP_TOO_LARGE);
	EQ_U(h.chunks, 5);
	EQ_U(h.arenas, 2);
	EQ_U(h.arena[1].system_bytes, 2 * PART_BYTES);
	EQ_U(h.mapped.bytes, 0x5000 - 2 * 16);
	glibc_heap_free(&h);
	walk = (struct heap_walk){ .release = 36, .end_ns = 1 };
	EQ_U(glibc_heap_walk(&h, &memory, &walk), HEAP_TOO_LARGE);
	EQ_U(h.chunks, 0);
	HAS_S(h.why, "far apart");
	glibc_heap_free(&h);
}

/* What malloc counts, and what was found, differ: its own count is believed. */
static void test_missing_mapped(void)
{
	const struct heap_walk walk = { .release = 36 };
	struct glibc_heap h;

	make_process(36);
	make_parameters(HEAP, 3, 0x8000);
	EQ_U(glibc_heap_walk(&h, &memory, &walk), HEAP_OK);
	IS_FALSE(h.is_mapped_exact);
	EQ_U(h.mapped.blocks, 3);
	EQ_U(h.mapped.bytes, 0x8000 - 3 * 16);
	glibc_heap_free(&h);
}

/* Each mremap adds 16 to malloc's sum of mappings since 2.43. */
static void test_excess(void)
{
	const struct heap_walk walk = { .release = 44 };
	struct glibc_heap h;

	make_process(44);
	make_parameters(HEAP, 2, 0x5000 + 16 * 1000);
	EQ_U(glibc_heap_walk(&h, &memory, &walk), HEAP_OK);
	IS_TRUE(h.is_mapped_exact);
	EQ_U(h.mapped.blocks, 2);
	EQ_U(h.mapped.bytes, 0x2000 - 24 + 0x2000 - 8);
	glibc_heap_free(&h);
	make_process(44);
	make_parameters(HEAP, 1, 0x4000);
	EQ_U(glibc_heap_walk(&h, &memory, &walk), HEAP_OK);
	IS_FALSE(h.is_mapped_exact);
	glibc_heap_free(&h);
	make_process(44);
	memset(at(MAPPED), 0, MAPPED_BYTES);
	make_parameters(HEAP, 0, 16 * 1000);
	EQ_U(glibc_heap_walk(&h, &memory, &walk), HEAP_OK);
	IS_TRUE(h.is_mapped_exact);
	EQ_U(h.mapped.bytes, 0);
	glibc_heap_free(&h);
}

/* A thread has no cache of its own before its first free(), but points at an empty one. */
static void test_no_cache(void)
{
	const uint64_t empty = TEXT + 0x400;
	const struct heap_walk walk = { .release = 44 };
	struct glibc_heap h;
	char why[160];

	make_process(44);
	put(thread[0] - 0x48, empty);
	put(thread[1] - 0x48, empty + 8);
	EQ_U(glibc_heap_walk(&h, &memory, &walk), HEAP_OK);
	EQ_U(h.caches, 0);
	EQ_U(h.used.blocks, 9 + 4);
	glibc_heap_free(&h);
	put(thread[1] - 0x48, 0);
	EQ_U(walk_again(why), HEAP_REFUSED);
	HAS_S(why, "caches of its threads");
	put(thread[1] - 0x48, empty);
	put(empty + 700, 1);
	EQ_U(walk_again(why), HEAP_REFUSED);
}

/* A cache has 16 bytes more where the rest of a free chunk was no chunk. */
static void test_larger_cache(unsigned int of_release)
{
	const struct heap_walk walk = { .release = of_release };
	struct glibc_heap h;
	uint64_t chunk;

	make_process(of_release);
	memcpy(&chunk, at(thread[1] - 0x48), sizeof(chunk));
	chunk -= 16;
	put(chunk + 8, (CACHE_AT + 16) | 1);
	put(chunk + CACHE_AT + 16 + 8, (0x1000 - 16) | 1);
	EQ_U(glibc_heap_walk(&h, &memory, &walk), HEAP_OK);
	EQ_U(h.caches, 2);
	EQ_U(h.arena[1].used.bytes, 0x3000 - 16 - 16);
	glibc_heap_free(&h);
}

/* Any word of the process may be anything: the walk ends. */
static void test_damage(void)
{
	unsigned int ok = 0;
	char why[160];

	srand(1);
	for (unsigned int i = 0; i < 3000; i++) {
		const int r = rand() % REGIONS;
		const uint64_t words = (area[r].end - area[r].start) / 8;
		const uint64_t most = words < 1024 || area[r].start == MAPPED ? words : 1024;
		const uint64_t place = area[r].start + 8 * ((uint64_t)rand() % most);

		make_process(36);
		put(place, (uint64_t)rand() << (rand() % 48));
		ok += walk_again(why) == HEAP_OK;
	}
	IN_U(ok, 1, 2999);
}

int main(void)
{
	for (int i = 0; i < REGIONS; i++)
		bytes[i] = malloc(area[i].end - area[i].start);
	test_counts(31);
	test_counts(34);
	test_counts(36);
	test_counts(41);
	test_counts(43);
	test_counts(44);
	test_flux();
	test_refusals();
	test_bound();
	test_missing_mapped();
	test_excess();
	test_no_cache();
	test_larger_cache(36);
	test_larger_cache(43);
	test_damage();
	for (int i = 0; i < REGIONS; i++)
		free(bytes[i]);
	return done_testing();
}
