/* end_pointers.h -- Pointers to the end of a block that are one to the start of the next block.
 *
 * jemalloc, tcmalloc and mimalloc put blocks of one size next to each other, with nothing between
 * them. A vector that fills its block exactly has three pointers: to the block's start, to the end
 * of what is used, and to the block's end, which is the start of another block. If such
 * pointers hold, each vector of a program holds the next one: of a map of 20,000 objects with a
 * vector each 97 % seemed to be held by another map, too.
 *
 * So the last of three pointers does not hold if the first two are to the block before, the second
 * maybe to its end. It may be a real one in a structure that is like a vector: hence it holds as
 * long as nothing else reaches its target from a root of the lowest rank.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/graph/holding.h"

/* end_pointers_drop -- Makes pointers to the end of a block hold nothing.
 *
 * p           after pointer_graph_finish(); a dropped pointer of a block leads to the block itself.
 * of_pointer  of ROOTS, changed: HOLDING_NO_ROOT for a dropped pointer.
 * Returns how many were dropped. Cost: 1 ns a block if no two blocks are next to each other, as
 * with glibc; otherwise some for each pointer, and once reachability if there is one to drop.
 */
uint64_t end_pointers_drop(struct pointer_graph *p, const struct holding_roots *roots,
			   uint32_t *of_pointer);
