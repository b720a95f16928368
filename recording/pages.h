/* pages.h -- What holds the resident memory of a process at one moment, in a recording;
 * docs/format.md, section 15.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* Parts of resident memory. Each byte is in one. */
enum mu_pages_part {
	MU_PAGES_LIVE = 0,     /* heap: bytes of live blocks */
	MU_PAGES_SLACK = 1,    /* heap: the rest of pages that have a live block */
	MU_PAGES_FREE = 2,     /* heap: pages without a live block */
	MU_PAGES_MAPPINGS = 3, /* other private memory that is no file */
	MU_PAGES_STACKS = 4,
	MU_PAGES_FILES = 5,    /* programs, libraries, mapped files, shared memory */
	MU_PAGES_RECORDER = 6,
	MU_PAGES_PARTS = 7
};

enum mu_pages_flag {
	MU_PAGES_AT_END = 1,   /* the process was about to end */
	MU_PAGES_HUGE = 2,     /* huge pages are known */
	MU_PAGES_NODES = 4,    /* NUMA nodes are known */
	MU_PAGES_MERGED = 8,   /* the last group stands for many: see mu_page_group */
	MU_PAGES_CUT = 16      /* some blocks could not be read */
};

enum { MU_PAGES_FILLS = 5, MU_PAGES_NODES_MAX = 4 };

/* The live blocks of one site. Bytes are those asked for; the first three make up `live`. */
struct mu_page_site {
	uint32_t site;
	uint32_t reserved;
	uint64_t blocks;
	uint64_t resident;
	uint64_t untouched; /* in pages that the process has never written to */
	uint64_t swapped;
	uint64_t huge;	    /* of `resident`: in huge pages */
	uint64_t node[MU_PAGES_NODES_MAX]; /* of `resident`: on NUMA nodes 0, 1, 2, others */
};

/* Resident pages of the heap that have live blocks of the same sites, and of no others. */
struct mu_page_group {
	uint64_t pages;
	uint64_t sparse; /* of them: less than a tenth is live */
	uint64_t slack;	 /* bytes without a live block */
	uint32_t first;	 /* of the uses: its sites, ascending */
	uint32_t count;
};

struct mu_page_use {
	uint32_t site;
	uint32_t reserved;
	uint64_t bytes; /* live in the pages of the group */
};

enum mu_heap_kind {
	MU_HEAP_MAIN = 0,   /* "[heap]" */
	MU_HEAP_ARENA = 1,  /* a heap of one of glibc's other arenas */
	MU_HEAP_MAPPED = 2, /* mappings for single blocks, all together */
	MU_HEAP_OTHER = 3   /* other mappings with live blocks, all together */
};

/* A part of the heap that can shrink from its end only; or mappings of a kind. */
struct mu_heap_part {
	uint64_t start, end; /* addresses; 0 if there are several */
	uint64_t part[3];    /* bytes: LIVE, SLACK, FREE */
	uint64_t swapped;    /* bytes of pages */
	uint32_t kind;	     /* enum mu_heap_kind */
	uint32_t top_site;   /* MAIN, ARENA: site of the last live block */
	uint64_t top;	     /* its address, 0: there is none */
	uint64_t top_size;
	uint64_t top_blocks; /* that many blocks of this site are the last ones ... */
	uint64_t above;	     /* resident bytes of pages behind them */
	uint64_t held;	     /* ... and more such bytes if these blocks were gone */
};

struct mu_pages {
	uint64_t bytes;	     /* of this and the tables behind it, in the order of the counts */
	uint64_t mono_ns;    /* CLOCK_MONOTONIC at the moment */
	uint64_t pause_ns;   /* that the process stood still */
	uint64_t kernel_rss; /* resident bytes, as the kernel counts them */
	uint64_t part[MU_PAGES_PARTS];
	uint64_t swapped;    /* heap: bytes of pages that are swapped out */
	uint64_t fill[MU_PAGES_FILLS]; /* pages with live blocks: < 10, 25, 50, 90, 100 % live */
	uint32_t page_bytes;
	uint32_t flags; /* enum mu_pages_flag */
	uint32_t sites, groups, uses, heaps;
};

_Static_assert(sizeof(struct mu_page_site) == 80, "mu_page_site is part of the format");
_Static_assert(sizeof(struct mu_page_group) == 32, "mu_page_group is part of the format");
_Static_assert(sizeof(struct mu_page_use) == 16, "mu_page_use is part of the format");
_Static_assert(sizeof(struct mu_heap_part) == 96, "mu_heap_part is part of the format");
_Static_assert(sizeof(struct mu_pages) == 160, "mu_pages is part of the format");
