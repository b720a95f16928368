/* block_search.h -- which block an address is in, and which blocks are in a range.
 *
 * The block table answers by address of a block's start (blocks.h). What a program announces
 * needs more: whether its block lies inside another one. Blocks are kept under keys in three
 * spaces (docs/format.md, section 5): those of malloc under their address; announced ones
 * under theirs times eight, so that they are told apart to a byte; and announced ones inside
 * other blocks apart from those, so that within a space blocks do not overlap.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_BLOCK_SEARCH_H
#define LIBMEMUSAGE_TABLES_BLOCK_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/tables/blocks.h"

#define BLOCK_SEARCH_REACH \
	(UINT64_C(1) << 36) /* of blocks of malloc: the largest that is believed */

/* block_search_key -- the key of an announced block.
 *
 * space  MU_KEY_ANNOUNCED or MU_KEY_NESTED; 0 leaves the address as it is.
 */
static inline uint64_t block_search_key(uint64_t space, uint64_t address)
{
	return space ? address << MU_KEY_SHIFT | space : address;
}

/* block_search_peek -- what is known about the block with this key; it stays in the table.
 *
 * mark    bits to set in its time of birth, or 0.
 * Returns false if there is none. As blocks_take().
 */
bool block_search_peek(struct thread *thread, uint64_t key, uint64_t mark, struct block *block,
		       bool many);

/* block_search_find -- the block of a space that an address lies in.
 *
 * reach   how many bytes before it such a block can begin at most.
 * start   set to the address where it begins.
 * Returns false if there is none. A block of no bytes holds nothing.
 * Async-signal-safe. Cost 20 ns where blocks are dense; up to 1 us across gaps, and 50 ns for
 * each page on the way whose blocks are all freed.
 */
bool block_search_find(uint64_t space, uint64_t address, uint64_t reach, uint64_t *start,
		       struct block *block, bool many);

/* block_search_next -- the first block of a space that begins in [*address, end).
 *
 * Returns false if there is none; else *address is where it begins. The block stays in the table.
 * Cost as above; 1 ns for each 4 KiB (announced ones: 512 bytes) of tracked room passed over.
 */
bool block_search_next(uint64_t space, uint64_t *address, uint64_t end, bool many);

#endif
