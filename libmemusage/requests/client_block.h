/* client_block.h -- blocks that the program announces by a client request.
 *
 * They count as if malloc had returned them, except nested ones: those are inside a block that
 * counts already. Nested blocks are kept apart, at sites with MU_SITE_NESTED, and no total includes
 * their bytes. A block is nested if its first byte is in a malloc block, in a counted mapping (-m)
 * or in an announced block, and always when pages are the heap. The end of a block ends the blocks
 * nested in it. A new announced block ends older ones that begin in it, since their memory has a
 * new use.
 *
 * Massif's accounts get the admin bytes of a block, but no rounding.
 *
 * All functions that take a thread are called inside the hook, and are async-signal-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/thread.h"
#include "libmemusage/tables/blocks.h"

/* Where in the program a request was made. */
struct call_site {
	uint64_t slot; /* address of the return address into the code with the request */
	uint64_t bp;   /* frame pointer of that code */
	uint64_t sp;   /* stack pointer, for the depth of the stack */
	bool is_named; /* it was no request, but a call of a function that --alloc-symbol names */
};

/* client_block_count_as_massif -- count as Massif does from now on. Call it at the start.
 *
 * Massif counts a nested block like any other, and a change of size of an unknown block as a new
 * block.
 */
void client_block_count_as_massif(void);

/* client_block_largest -- return the bytes of the largest announced block so far. */
uint64_t client_block_largest(void);

/* client_block_alloc -- record a new block.
 *
 * place    of the request, also for the next functions.
 * address  of the block in the program; size in bytes.
 * Returns false for an impossible block, or if the table is full (counted as a drop). Address 0 is
 * no block, and no error. Cost 30-60 ns.
 */
bool client_block_alloc(struct thread *thread, const struct call_site *place, uint64_t address,
			uint64_t size);

/* client_block_free -- record the end of a block. Returns false if it is not known. */
bool client_block_free(struct thread *thread, const struct call_site *place, uint64_t address);

/* client_block_take -- end a block if it is known, and copy its record to *block.
 *
 * Returns whether it is known.
 */
bool client_block_take(struct thread *thread, const struct call_site *place, uint64_t address,
		       struct block *block);

/* client_block_may_be_unrecorded -- return whether an unknown block may be left out on purpose.
 *
 * It may be: while recording was paused, or as a nested block without call stacks.
 */
bool client_block_may_be_unrecorded(struct thread *thread, uint64_t address);

/* client_block_is_nested -- return whether a block at the address would be nested. */
bool client_block_is_nested(struct thread *thread, uint64_t address);

/* client_block_resize -- record a new size of a block, and its new address.
 *
 * to    its new address, which may be the old one; size in bytes.
 * Counts as a realloc. The block belongs to the site of this request from now on. Returns false if
 * it is not known.
 */
bool client_block_resize(struct thread *thread, const struct call_site *place, uint64_t address,
			 uint64_t to, uint64_t size);

/* client_block_free_inside -- end all announced blocks that begin in [start, end). */
void client_block_free_inside(struct thread *thread, const struct call_site *place, uint64_t start,
			      uint64_t end);
