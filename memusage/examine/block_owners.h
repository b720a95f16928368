/* block_owners.h -- Blocks that the dynamic linker or an allocator has for itself, by the code that
 * asked for them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"
#include "profile/graph/pointer_graph.h"

/* block_owners_file -- Returns the name of the file whose code asked for a block, from its last
 * slash on; NULL if it is unknown, or if a client request announced the block. Borrowed from S. */
const char *block_owners_file(const struct snapshot *s, const struct heap_block *b);

/* block_owners_hold -- Adds a pointer to each block that an allocator library has for itself.
 *
 * g  of S, after its scan.
 * jemalloc, tcmalloc and mimalloc in place of glibc's malloc use it, too, and hide some of these
 * pointers. The program cannot free the blocks. A block that a function of the library
 * asks malloc for on behalf of its caller, as operator new does, is the caller's; the function's
 * symbol tells.
 */
void block_owners_hold(struct pointer_graph *g, const struct snapshot *s);
