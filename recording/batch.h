/* batch.h -- Deferred frees; docs/format.md, section 4.1.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* The last frees of a process with one thread that have left the block table, but are not yet in
 * the heap, counters, cells and lifetimes. No other event has come after them. Free i is deferred
 * if done <= i < count. Readers count these frees as if they had been applied. */
#define MU_BATCH 16u
struct mu_batch_free {
	uint64_t size; /* as in mu_line: bits 0-47 bytes, bits 48-63 birth, its bits 22-37 */
	uint32_t tag;  /* ... bits 10-31 birth, its bits 0-21 */
	uint32_t site;
};
struct mu_batch {
	uint32_t count;
	uint32_t done;
	uint64_t tick;	 /* at all of them */
	uint64_t serial; /* + 1 whenever it is emptied */
	uint64_t admin;	 /* mu_config.heap_admin */
	struct mu_batch_free free[MU_BATCH];
	/* The figures after all frees, so that a process that dies while it applies them loses
	 * nothing. */
	uint64_t counters; /* offset of a mu_counters, 0: nothing below is valid */
	int64_t now, extra;
	uint64_t clock, calls, bytes; /* calls and bytes of free */
	/* ... and once the free of number in_cell - 1 is: its cell, one of mu_lifetimes.blocks. */
	uint64_t in_cell;
	uint64_t cell, lifetimes; /* their offsets */
	int64_t live_bytes, live_blocks, life;
	uint64_t lived;
};
