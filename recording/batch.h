/* batch.h -- frees that are not booked yet; docs/format.md, section 4.1.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RECORDING_BATCH_H
#define RECORDING_BATCH_H

#include <stdint.h>

/* The last frees of a process with one thread, as long as they stand nowhere else but in the
 * block table: neither in the heap, nor in counters, cells and lifetimes. No other event has come
 * after them. Free i waits if done <= i < count. Whoever reads counts them as if they had
 * been booked. */
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
	/* What things are once all are booked, so that whoever dies over it loses nothing. */
	uint64_t counters; /* offset of a mu_counters, 0: nothing below is valid */
	int64_t now, extra;
	uint64_t clock, calls, bytes; /* calls and bytes of free */
	/* ... and once the free of number in_cell - 1 is: its cell, and one of mu_lifetimes.blocks. */
	uint64_t in_cell;
	uint64_t cell, lives; /* their offsets */
	int64_t live_bytes, live_blocks, life;
	uint64_t lived;
};

#endif
