/* accesses.h -- the block at an address, and counts of the bytes read and written there.
 *
 * Any address inside a block finds it: three levels of directory lead to the word of a page. The
 * word has the number of a record if one block covers the whole page, or leads to a number for each
 * 8 bytes. A block whose start is not a multiple of 8 shares its first and last 8 bytes with its
 * neighbours: they belong to the newest.
 *
 * Counts are per site and thread, never per block: reports show sums over blocks only, counts that
 * saturate give the same sums in any order, and no two threads share a cache line. So a block needs
 * no memory for its counts, and its end costs nothing.
 *
 * The same code runs inside the profiled process, where compilers' hooks call it, and in the
 * emulator's plugin, which sees the process's memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/export.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "recording/accesses.h"

#define ACCESS_COUNTED 1024u	 /* bytes of a block up to which each byte is counted */
#define ACCESS_REQUESTED 25600u /* ... if the program asked for it */

#define ACCESS_TOP 512u	 /* entries: address bits 38-46 */
#define ACCESS_MID 8192u /* bits 25-37 */
#define ACCESS_LEAF 8192u /* bits 12-24 */
#define ACCESS_GRANULES 512u
#define ACCESS_WHOLE 1u /* page word: the rest is the number of a record */

/* A live block, as an access sees it. */
struct access_block {
	uint64_t start;
	uint64_t size; /* bytes requested, at least 1 */
	uint32_t site;
	uint32_t is_counted; /* each of its bytes is counted */
	uint64_t reserved;
};

/* The directory. All pointers are valid in this process; tables are never moved or freed. */
struct accesses {
	struct access_block *record; /* by number; number 0 is none */
	uint64_t **top[ACCESS_TOP];
};

#ifdef MU_IN_EMULATOR
/* The plugin works on the table of the process that it emulates. */
extern HIDDEN struct accesses *access_table_of_guest;
#define access_table (*access_table_of_guest)
#else
extern HIDDEN struct accesses access_table;
#endif

/* accesses_init -- begin with a new image, without blocks. Returns false without memory. */
bool accesses_init(void);

/* accesses_add_block -- enter a new block.
 *
 * part  of the calling thread; `size` is in bytes, as requested.
 * Async-signal-safe inside the hook. Costs 5-10 ns, and 1 ns per 8 bytes or per page.
 */
void accesses_add_block(struct access_part *part, uint64_t address, uint64_t size, uint32_t site);

/* accesses_remove_block -- remove the block that begins at an address, if there is one. */
void accesses_remove_block(struct access_part *part, uint64_t address);

/* accesses_note_copy -- count the bytes that realloc moved from one site's block to another's.
 *
 * Call it also if the C library left the block where it was: DHAT counts both alike.
 */
void accesses_note_copy(struct access_part *part, uint32_t from, uint32_t to, uint64_t bytes);

#define ACCESS_QUEUE 65535u /* pages that are not used are not there */

struct access_deferred {
	uint64_t address;
	uint64_t size_and_write; /* bytes * 2, + 1 of a write */
};

struct access_queue {
	uint64_t count;
	struct access_deferred item[ACCESS_QUEUE];
};

/* accesses_defer -- queue an access of a signal handler that interrupted the recorder.
 *
 * accesses_flush() counts it. If the queue is full, it is a drop. Async-signal-safe.
 */
void accesses_defer(struct access_part *part, uint64_t address, uint64_t size, bool is_write);

/* accesses_flush -- count the deferred accesses. Inside the hook. */
void accesses_flush(struct access_part *part);

/* The result of accesses_request(), in the order of DHAT's messages. */
enum access_request {
	ACCESS_REQUEST_DONE,
	ACCESS_REQUEST_UNKNOWN,	  /* no live block there */
	ACCESS_REQUEST_TOO_SMALL, /* counted anyway */
	ACCESS_REQUEST_TOO_LARGE
};

/* accesses_request -- begin to count each byte of the block around an address.
 *
 * size  set to the block's size, if the block is known.
 */
enum access_request accesses_request(struct access_part *part, uint64_t address, uint64_t *size);

/* accesses_cell_slow -- make the calling thread's sums of a site that it meets for the first time.
 *
 * Returns NULL if the arena is full (counted).
 */
struct mu_access *accesses_cell_slow(struct access_part *part, uint32_t site);

/* accesses_bytes_slow -- count each byte of [offset, offset + size) of a block that is_counted. */
void accesses_bytes_slow(struct mu_access *cell, const struct access_block *block, uint64_t offset,
			 uint64_t size);

/* accesses_find -- find the block around any address, NULL if there is none.
 *
 * Async-signal-safe. Costs 2 ns.
 */
static inline const struct access_block *accesses_find(uint64_t address)
{
	uint64_t **mid = access_table.top[address >> 38 & (ACCESS_TOP - 1)];
	uint32_t number = 0;

	if (likely(!mid))
		return NULL;
	uint64_t *leaf = mid[address >> 25 & (ACCESS_MID - 1)];
	if (!leaf)
		return NULL;
	uint64_t word = leaf[address >> 12 & (ACCESS_LEAF - 1)];
	if (word & ACCESS_WHOLE)
		number = (uint32_t)(word >> 1);
	else if (word)
		number = ((const uint32_t *)word)[address >> 3 & (ACCESS_GRANULES - 1)];
	if (!number)
		return NULL;
	const struct access_block *block = &access_table.record[number];
	return likely(address - block->start < block->size) ? block : NULL;
}

/* accesses_cell -- return the thread's sums of a site, NULL without memory. */
static inline struct mu_access *accesses_cell(struct access_part *part, uint32_t site)
{
	uint32_t offset = likely(site < part->sites) ? part->cell_of[site] : 0;

	return likely(offset) ? arena_at((uint64_t)offset * sizeof(struct mu_access)) :
				accesses_cell_slow(part, site);
}
