/* intercept.h -- recording the calls of an allocator's functions that are intercepted in memory.
 *
 * The blocks of the program's own malloc count as those of libc's. It may be a wrapper around the
 * interposed malloc, which has counted the block already then.
 *
 * Allocators under other names may take their memory from malloc, too: a block that begins in a
 * live block is nested (client_block.h). Others of known families count as malloc's; those of
 * functions that the user named count as announced blocks, which may begin at any byte and
 * whose memory may be given back as a whole.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/patch/entry.h"
#include "libmemusage/patch/patch.h"
#include "recording/family.h"

/* A function that is to be intercepted. */
struct intercept {
	struct mu_signature signature;
	uint32_t number; /* from symbols_note(); 0: calls are not counted one by one */
	uint8_t layer;	 /* enum entry_layer */
	entry_arrival_fn *arrival; /* as in struct entry_hook */
};

/* intercept_function -- record the calls of a function from now on.
 *
 * p              from patch_begin().
 * what           copied.
 * address, size  of its code, bytes.
 * flags          ENTRY_NEW_OBJECT, ENTRY_TRY or 0.
 * Returns NULL, or why not: a constant text that completes "NAME: ".
 */
const char *intercept_function(const struct patch *p, const struct intercept *what,
			       uint64_t address, uint64_t size, unsigned int flags);

/* intercept_ignore_caller -- record no free that returns to an address: the allocator frees for its
 * own ends what the program has freed before. Call it before there are events. */
void intercept_ignore_caller(uint64_t returns_to);
