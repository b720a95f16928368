/* earlier_blocks.h -- blocks that a process had when memusage attached to it.
 *
 * They are not in the table: the attacher has counted them, and they are one place, a stack with
 * the address 0. A block that is freed and not known is one of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "libmemusage/image/thread.h"
#include "recording/recorded.h"

/* Counted by the attacher, in a process whose malloc is glibc's. */
struct earlier_heap {
	enum mu_before kind;	/* with MU_BEFORE_UNKNOWN the rest is nothing */
	uint32_t mapped_header; /* bytes of a mapped block's chunk that are not the block's */
	uint64_t blocks, bytes;
};

/* earlier_blocks_begin -- put what there is into the heap of a new image.
 *
 * Before the gate opens.
 */
void earlier_blocks_begin(const struct earlier_heap *heap);

/* earlier_blocks_free -- count the free of a block that is not known, about to be done.
 *
 * sp  from hook_sp().
 * Inside the hook. Async-signal-safe.
 */
void earlier_blocks_free(struct thread *thread, const void *block, uint64_t sp);

/* earlier_blocks_realloc -- count a realloc of such a block, about to be done: it ends the block.
 *
 * As earlier_blocks_free().
 */
void earlier_blocks_realloc(struct thread *thread, const void *block);

/* earlier_blocks_put_back -- take back earlier_blocks_realloc(): the realloc failed.
 *
 * Inside the hook. Async-signal-safe.
 */
void earlier_blocks_put_back(struct thread *thread, const void *block);
