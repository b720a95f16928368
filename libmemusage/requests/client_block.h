/* client_block.h -- blocks that the program says there are, by a client request.
 *
 * They count as if malloc had returned them, but for those that lie inside a block that counts
 * already: these are kept apart, at sites with MU_SITE_NESTED, and no total has their bytes. A
 * block is nested if its first byte lies in a block of malloc, in a counted mapping (-m), in
 * an announced block, or anywhere when pages are the heap. The end of a block ends those
 * nested in it; a block announced over others that begin in it ends those, since their memory
 * evidently has a new use.
 *
 * Massif's books: no rounding, but the admin bytes of a block.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_REQUESTS_CLIENT_BLOCK_H
#define LIBMEMUSAGE_REQUESTS_CLIENT_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/thread.h"
#include "libmemusage/tables/blocks.h"

/* Where in the program a request was made. */
struct call_site {
	uint64_t slot; /* address of the return address into the code with the request */
	uint64_t bp;   /* frame pointer of that code */
	uint64_t sp;   /* stack pointer, for the depth of the stack */
	bool is_named; /* no request, but a call of a function that --alloc-symbol names */
};

/* client_block_count_as_massif -- counts as Massif does: a nested block like any other, and a
 * change of size of an unknown block as a new block. At the start. */
void client_block_count_as_massif(void);

/* client_block_largest -- bytes of the largest announced block so far. */
uint64_t client_block_largest(void);

/* client_block_alloc -- a block came to life. All of these: call inside the hook.
 *
 * Returns false for an impossible one, or if it cannot be remembered (counted as a drop).
 * Address 0 is no block, and no error. Async-signal-safe. Cost 30-60 ns.
 */
bool client_block_alloc(struct thread *thread, const struct call_site *place, uint64_t address,
			uint64_t size);

/* client_block_free -- a block is gone. Returns false if it is not known. */
bool client_block_free(struct thread *thread, const struct call_site *place, uint64_t address);

/* client_block_take -- client_block_free() of a block that is known; *block gets what it was. */
bool client_block_take(struct thread *thread, const struct call_site *place, uint64_t address,
		       struct block *block);

/* client_block_may_be_unrecorded -- returns whether an unknown block may have been left out on
 * purpose: while recording was paused, or as a nested block without call stacks. */
bool client_block_may_be_unrecorded(struct thread *thread, uint64_t address);

/* client_block_is_nested -- whether a block that begins there would be nested. */
bool client_block_is_nested(struct thread *thread, uint64_t address);

/* client_block_resize -- a block has another size, and may be at another address.
 *
 * Counts as a realloc; belongs to the place of this request from now on.
 * Returns false if it is not known.
 */
bool client_block_resize(struct thread *thread, const struct call_site *place, uint64_t address,
			 uint64_t to, uint64_t size);

/* client_block_free_inside -- memory is gone, and all announced blocks that begin in it. */
void client_block_free_inside(struct thread *thread, const struct call_site *place, uint64_t start,
			      uint64_t end);

#endif
