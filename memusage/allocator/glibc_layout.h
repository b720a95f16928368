/* glibc_layout.h -- Where glibc's malloc has its own data in a process.
 *
 * It has no symbols for them, so they are known by what is in them: rings that lead to themselves,
 * and limits that are always the same. What does not fit exactly is not taken.
 *
 * Source  malloc/malloc.c and malloc/arena.c of glibc 2.31 to 2.41; offsets compared with DWARF of
 *         2.31, 2.36 and 2.41.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/allocator/heap_memory.h"
#include "profile/base/error.h"

/* The releases of glibc 2 that are known: 2.30 and before have other caches, as does 2.42. */
enum { GLIBC_FIRST = 31, GLIBC_LAST = 41 };

/* Offsets in struct malloc_state. */
enum {
	ARENA_LOCK = 0,
	ARENA_FAST_BINS = 16,
	ARENA_TOP = 96,
	ARENA_BINS = 112,
	ARENA_NEXT = 2160,
	ARENA_SYSTEM_BYTES = 2184,
	ARENA_BYTES = 2200,
	ARENA_FAST_COUNT = 10
};

/* An arena other than the first is in parts of at most, and at a multiple of, so many bytes. */
#define ARENA_PART_MOST (UINT64_C(64) << 20)

struct glibc_layout {
	uint64_t main_arena;
	bool has_parameters;	/* the next three, of struct malloc_par */
	uint64_t brk_start;	/* 0: the heap has not grown by brk */
	uint64_t mapped_blocks, mapped_bytes; /* blocks with mappings of their own */
	bool mangles;		/* pointers in lists of single links, since 2.32 */
};

/* glibc_layout_is_libc -- Tells whether a mapping is of the file of libc. */
bool glibc_layout_is_libc(const char *name);

/* glibc_layout_release -- Finds the release of glibc in a process: 36 for 2.36.
 *
 * Its memory may change meanwhile. Cost 1 ms. Returns 0 if it is not known.
 */
unsigned int glibc_layout_release(const struct heap_memory *m);

/* glibc_layout_find -- Finds the data in the writable memory of libc.
 *
 * release  from glibc_layout_release(), GLIBC_FIRST to GLIBC_LAST.
 * Returns 0, or -1 with ERR.
 */
int glibc_layout_find(struct glibc_layout *l, const struct heap_memory *m, unsigned int release,
		      struct mu_error *err);
