/* glibc_layout.h -- Where glibc's malloc has its own data in a process.
 *
 * It has no symbols for them, so they are known by what is in them: rings that lead to themselves,
 * and limits that are always the same. Data that does not fit exactly is not taken.
 *
 * Source  malloc/malloc.c and malloc/arena.c of glibc 2.31 to 2.41, 2.43 and 2.44; offsets compared
 *         with DWARF of 2.31, 2.36, 2.41, 2.43 and 2.44.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/allocator/heap_memory.h"
#include "profile/base/error.h"

enum { ARENA_LOCK = 0, ARENA_FAST_COUNT = 10, CACHE_BINS_MOST = 76 };

/* All that differs between releases. */
struct glibc_form {
	/* Offsets in struct malloc_state, and its bytes. */
	unsigned int fast_bins; /* 0: there are none */
	unsigned int top, bins, next, system_bytes, bytes;
	/* The cache of a thread: a number of 16 bits for each bin, then the lists. */
	unsigned int cache_bins, cache_chunk;
	bool counts_room;	/* the numbers are those of blocks for which there is room */
	/* Bytes of a mapping behind the chunk of a block that is mapped on its own, and those of
	 * the chunk that are not the block's. */
	unsigned int mapped_tail, mapped_header;
	unsigned int mapped_excess; /* by which an mremap makes malloc's sum of them too large */
	unsigned int aligned_after; /* bytes of a mapping before the first aligned block */
};

/* An arena other than the first is in parts of at most, and at a multiple of, so many bytes. */
#define ARENA_PART_MOST (UINT64_C(64) << 20)

struct glibc_layout {
	const struct glibc_form *form;
	uint64_t main_arena;
	bool is_unused;		/* there is no arena yet: malloc was never called */
	bool has_parameters;	/* the next ones, of struct malloc_par */
	uint64_t brk_start;	/* 0: the heap has not grown by brk */
	uint64_t mapped_blocks, mapped_bytes; /* blocks with mappings of their own */
	uint64_t cache_most;	/* blocks of a size in a cache; 0: not known */
	bool mangles;		/* pointers in lists of single links, since 2.32 */
};

/* glibc_layout_is_libc -- Tells whether a mapping is of the file of libc. */
bool glibc_layout_is_libc(const char *name);

/* glibc_layout_release -- Finds the release of glibc in a process: 36 for 2.36.
 *
 * Its memory may change meanwhile. Cost 1 ms. Returns 0 if it is not known.
 */
unsigned int glibc_layout_release(const struct heap_memory *m);

/* glibc_layout_form -- Returns the form of a release, NULL if it is not known. */
const struct glibc_form *glibc_layout_form(unsigned int release);

/* glibc_layout_find -- Finds the data in the writable memory of libc.
 *
 * release  from glibc_layout_release(), of a known form.
 * Returns 0, or -1 with ERR.
 */
int glibc_layout_find(struct glibc_layout *l, const struct heap_memory *m, unsigned int release,
		      struct mu_error *err);
