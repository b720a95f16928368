/* block_search.h -- the block around an address, and the blocks in a range.
 *
 * The block table finds a block by the address of its start (blocks.h). Client requests also ask
 * whether a block is inside another one. Keys of blocks are in three spaces (docs/format.md,
 * section 5). A block of malloc has its address as key. An announced block has its address times
 * eight, which tells blocks apart to a byte. Announced blocks inside other blocks have a space of
 * their own, so that blocks of one space do not overlap.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/tables/blocks.h"

#define BLOCK_SEARCH_REACH (UINT64_C(1) << 36) /* the largest block of malloc that is found */

/* block_search_key -- return the key of a block.
 *
 * space  MU_KEY_ANNOUNCED or MU_KEY_NESTED; 0 for a block of malloc, whose key is its address.
 */
static inline uint64_t block_search_key(uint64_t space, uint64_t address)
{
	return space ? address << MU_KEY_SHIFT | space : address;
}

/* block_search_peek -- read the record of the block with this key, which stays in the table.
 *
 * bits    to set in its time of birth, or 0.
 * Returns false if there is none. Otherwise as blocks_take().
 */
bool block_search_peek(struct thread *thread, uint64_t key, uint64_t bits, struct block *block,
		       bool many);

/* block_search_find -- find the block of a space that contains an address.
 *
 * reach   the most bytes before the address at which such a block can begin.
 * start   set to the address where it begins.
 * Returns false if there is none. A block of no bytes contains nothing.
 * Async-signal-safe. Costs 20 ns where blocks are dense, up to 1 us across gaps, and 50 ns for
 * each page on the way whose blocks are all freed.
 */
bool block_search_find(uint64_t space, uint64_t address, uint64_t reach, uint64_t *start,
		       struct block *block, bool many);

/* block_search_next -- find the first block of a space that begins in [*address, end).
 *
 * Returns false if there is none; otherwise sets *address to its start. The block stays in the
 * table. Costs as above, and 1 ns for each 4 KiB (announced blocks: 512 bytes) passed over.
 */
bool block_search_next(uint64_t space, uint64_t *address, uint64_t end, bool many);
