/* glibc_heap.h -- The blocks of glibc's malloc in a stopped process, read from outside.
 *
 * Every list and every chunk is checked on the way. Data that does not fit is either in flux,
 * because a thread was stopped inside malloc, or not as this file knows it: nothing is guessed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/allocator/glibc_layout.h"

enum heap_result {
	HEAP_OK,
	HEAP_BUSY,	/* a thread was stopped inside malloc: once more a little later */
	HEAP_TOO_LARGE,	/* the walk would take longer than allowed: only sums of arenas */
	HEAP_REFUSED	/* it is not as we know it */
};

enum chunk_state {
	CHUNK_USED,   /* a block of the program */
	CHUNK_CACHED, /* free, in a thread's cache or a fast bin */
	CHUNK_FREE
};

struct heap_chunk {
	enum chunk_state state;
	uint64_t address;	/* of the block */
	uint64_t usable;	/* bytes, as malloc_usable_size() tells */
	uint64_t word;		/* the first one of a used block */
};

struct heap_count {
	uint64_t blocks, bytes;	/* usable bytes */
};

struct heap_arena {
	uint64_t address;
	uint64_t system_bytes;	/* that it has from the kernel */
	uint64_t top_bytes;	/* of these never used yet, at the end */
	struct heap_count used, fast, free; /* without blocks in caches of threads, and the top */
	struct heap_count cached;
};

struct glibc_heap {
	struct heap_arena *arena; /* the first one is the main arena */
	uint32_t arenas, arena_room;
	uint32_t caches;	/* of threads */
	struct heap_count used; /* in all arenas, and mapped on their own */
	struct heap_count mapped;
	uint64_t chunks;	/* that were looked at */
	unsigned int mapped_header; /* bytes of a mapped block's chunk that are not the block's */
	bool is_mapped_exact;	/* all mapped blocks were found, as malloc counts them */
	char why[160];		/* for all results but HEAP_OK */
};

/* Tasks of a walk besides counting. */
struct heap_walk {
	unsigned int release;	/* from glibc_layout_release() */
	uint64_t chunks_most;	/* 0: no bound */
	uint64_t end_ns;	/* of CLOCK_PROCESS_CPUTIME_ID: more is too large; 0: no bound */
	void (*visit)(void *data, const struct heap_chunk *chunk); /* NULL: nothing */
	void *data;
};

/* glibc_heap_walk -- Reads all blocks.
 *
 * h  overwritten; glibc_heap_free() releases it in either case. With HEAP_TOO_LARGE only
 *    system_bytes and top_bytes of the arenas and the mapped blocks are there.
 * Returns HEAP_OK, or another result with h->why. The visitor may have been called before.
 * Cost 15 to 100 ns for each chunk, and 0.5 us for each touched page that may have mapped blocks.
 */
enum heap_result glibc_heap_walk(struct glibc_heap *h, const struct heap_memory *m,
				 const struct heap_walk *walk);

/* glibc_heap_free -- Releases everything. Accepts a zeroed struct. */
void glibc_heap_free(struct glibc_heap *h);
