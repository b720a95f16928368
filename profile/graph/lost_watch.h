/* lost_watch.h -- Blocks that leak checks called lost, and what became of them: were they freed
 * after all?
 *
 * A block that is freed was not lost: the program had its address, but where the check did not see
 * it (encoded, in a file, on a device). So later checks tell how far to trust earlier ones.
 *
 * A block *is called lost* by a check that finds it definitely or indirectly lost. It is the same
 * block as long as address, size and time of birth are: what is freed or reallocated ends. A block
 * that is still there and that a pointer leads to now is *found* again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/graph/leak_marks.h"
#include "recording/leaks.h"

/* Blocks that are watched at most, the lowest addresses of each check: 24 MB. */
enum { LOST_WATCH_MOST = 1 << 20 };

/* A block that was called lost and that is still there. */
struct lost_block {
	uint64_t start, size;
	uint32_t site;
	uint32_t birth; /* as in struct heap_block */
};

/* The blocks of one site that all checks until now have called lost, and those that were freed. */
struct lost_sum {
	uint32_t site, reserved;
	uint64_t called_bytes, called_blocks;
	uint64_t freed_bytes, freed_blocks;
};

/* All of a process, in one piece: the sums follow, ascending by site, then the blocks, ascending
 * by address. */
struct lost_watch {
	uint64_t bytes; /* of all */
	uint64_t sums, blocks;
};

/* lost_watch_is_valid -- Tells whether BYTES bytes, which another process may have written, are
 * such a piece. */
bool lost_watch_is_valid(const struct lost_watch *w, uint64_t bytes);

/* lost_watch_next -- Compares what earlier checks called lost with the blocks of now, and adds what
 * the check of now calls lost.
 *
 * before    of the last check; NULL: there was none.
 * blocks, m the live blocks, and their kinds.
 * Returns what the next check gets, to be freed. Cost O(blocks + watched).
 */
struct lost_watch *lost_watch_next(const struct lost_watch *before, const struct block_set *blocks,
				   const struct leak_marks *m);

/* lost_watch_tell -- Makes losses of what became of the blocks that earlier checks called lost.
 *
 * loss  receives at most MU_LOSS_EARLIER_KINDS for each sum of BEFORE, ascending by site and kind.
 * now   of lost_watch_next().
 * Returns how many they are.
 */
size_t lost_watch_tell(struct mu_loss *loss, const struct lost_watch *before,
		       const struct lost_watch *now, const struct block_set *blocks,
		       const struct leak_marks *m);
