/* accesses.h -- whose block lies at an address, and how much was read and written there.
 *
 * Blocks are found by any address inside them: three levels of directory lead to the word of a
 * page. It holds the number of a record, when one block covers the whole page, or leads to a
 * number for each 8 bytes. A block whose start is not a multiple of 8 shares its first and last
 * 8 bytes with its neighbours: the newest has them.
 *
 * What is counted is kept per site and thread, never per block: sums over blocks are all that
 * a report shows, counts that saturate give the same sums in any order, and no two threads
 * share a cache line. So a block needs no memory for its counts, and its end costs nothing.
 *
 * The same code runs inside the profiled process, where compilers' hooks call it, and in the
 * emulator's plugin, which sees the process's memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_ACCESSES_H
#define LIBMEMUSAGE_TABLES_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/base/arch.h"
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
struct tracked {
	uint64_t start;
	uint64_t size; /* bytes requested, at least 1 */
	uint32_t site;
	uint32_t is_counted; /* each of its bytes is counted */
	uint64_t reserved;
};

/* The directory. All pointers are valid in this process; tables never move or go away. */
struct accesses {
	struct tracked *record; /* by number; number 0 is none */
	uint64_t **top[ACCESS_TOP];
};

#ifdef MU_IN_EMULATOR
/* The plugin works on the table of the process that it emulates. */
extern struct accesses *access_table_of_guest;
#define access_table (*access_table_of_guest)
#else
extern struct accesses access_table;
#endif

/* accesses_init -- begin with no block known: a new image. Returns false without memory. */
bool accesses_init(void);

/* accesses_born -- a block came to life.
 *
 * own   of the calling thread; size bytes requested.
 * Async-signal-safe inside the hook. Cost 5-10 ns, and 1 ns per 8 bytes or per page.
 */
void accesses_born(struct access_own *own, uint64_t address, uint64_t size, uint32_t site);

/* accesses_died -- the block at an address is about to be freed; an unknown one is let be. */
void accesses_died(struct access_own *own, uint64_t address);

/* accesses_copied -- realloc moved bytes from a block of one site to one of another.
 *
 * Whether the C library really did it or left the block where it was: DHAT counts both alike.
 */
void accesses_copied(struct access_own *own, uint32_t from, uint32_t to, uint64_t bytes);

#define ACCESS_QUEUE 65535u /* pages that are not used are not there */

struct access_deferred {
	uint64_t address;
	uint64_t size_and_write; /* bytes * 2, + 1 of a write */
};

struct access_queue {
	uint64_t count;
	struct access_deferred item[ACCESS_QUEUE];
};

/* accesses_defer -- a signal handler interrupted the recorder: count this access when that is
 * through. Async-signal-safe. What finds the queue full is dropped (counted). */
void accesses_defer(struct access_own *own, uint64_t address, uint64_t size, bool is_write);

/* accesses_flush -- count what handlers deferred. Inside the hook. */
void accesses_flush(struct access_own *own);

/* What accesses_request() found; in the order of DHAT's messages. */
enum access_request {
	ACCESS_REQUEST_DONE,
	ACCESS_REQUEST_UNKNOWN,	  /* no live block there */
	ACCESS_REQUEST_TOO_SMALL, /* counted anyway */
	ACCESS_REQUEST_TOO_LARGE
};

/* accesses_request -- count each byte of the block around an address, from now on.
 *
 * size  set to the block's, unless it is unknown.
 */
enum access_request accesses_request(struct access_own *own, uint64_t address, uint64_t *size);

/* accesses_cell_slow -- the calling thread's sums of a site that it meets for the first time.
 *
 * Returns NULL if the arena is full (counted).
 */
struct mu_access *accesses_cell_slow(struct access_own *own, uint32_t site);

/* accesses_bytes_slow -- count the bytes [offset, offset + size) of a block that is_counted. */
void accesses_bytes_slow(struct mu_access *cell, const struct tracked *block, uint64_t offset,
			 uint64_t size);

/* accesses_find -- the block around an address, NULL if there is none.
 *
 * Any address whatever. Async-signal-safe. Cost 2 ns. */
static inline const struct tracked *accesses_find(uint64_t address)
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
	const struct tracked *block = &access_table.record[number];
	return likely(address - block->start < block->size) ? block : NULL;
}

/* accesses_cell -- the thread's sums of a site; NULL if there can be none. */
static inline struct mu_access *accesses_cell(struct access_own *own, uint32_t site)
{
	uint32_t offset = likely(site < own->sites) ? own->cell_of[site] : 0;

	return likely(offset) ? arena_at((uint64_t)offset * sizeof(struct mu_access))
			      : accesses_cell_slow(own, site);
}

#endif
