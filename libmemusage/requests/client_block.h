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
struct place {
	uint64_t slot; /* address of the return address into the code with the request */
	uint64_t bp;   /* frame pointer of that code */
	uint64_t sp;   /* stack pointer, for the depth of the stack */
	bool is_named; /* no request, but a call of a function that --alloc-symbol names */
};

/* announce_as_massif -- count as Massif does: nested blocks like others, and a change of size of an
 * unknown block as a new one. At the start. */
void announce_as_massif(void);

/* announce_largest -- bytes of the largest announced block so far. */
uint64_t announce_largest(void);

/* announce_block -- a block came to life. All of these: call inside the hook.
 *
 * Returns false for an impossible one, or if it cannot be remembered (counted as a drop).
 * Address 0 is no block, and no error. Async-signal-safe. Cost 30-60 ns.
 */
bool announce_block(struct thread *thread, const struct place *place, uint64_t address,
		    uint64_t size);

/* announce_end -- a block is gone. Returns false if it is not known. */
bool announce_end(struct thread *thread, const struct place *place, uint64_t address);

/* announce_take -- announce_end() of a block that is known; *block gets what it was. */
bool announce_take(struct thread *thread, const struct place *place, uint64_t address,
		   struct block *block);

/* announce_is_excused -- whether an unknown block may be one that was not remembered on purpose. */
bool announce_is_excused(struct thread *thread, uint64_t address);

/* announce_is_nested -- whether a block that begins there would be nested. */
bool announce_is_nested(struct thread *thread, uint64_t address);

/* announce_change -- a block has another size, and may be at another address.
 *
 * Counts as a realloc; belongs to the place of this request from now on.
 * Returns false if it is not known.
 */
bool announce_change(struct thread *thread, const struct place *place, uint64_t address,
		     uint64_t to, uint64_t size);

/* announce_end_inside -- memory is gone, and all announced blocks that begin in it. */
void announce_end_inside(struct thread *thread, const struct place *place, uint64_t start,
			 uint64_t end);

#endif
