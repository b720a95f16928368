/* sampled_event.h -- recording an allocation or free with --sample.
 *
 * An event that sampling_pass() or the filter settles is no case for this file. Which locks: see
 * tables/sampling.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/thread.h"
#include "libmemusage/tables/blocks.h"
#include "libmemusage/tables/sampling.h"

#define SAMPLED_NONE UINT32_MAX /* as the site of a block: it was not sampled */

/* sampled_alloc -- decide whether a new block is sampled, and record it if so.
 *
 * The call has been counted. As event_alloc(); inside the hook.
 */
void sampled_alloc(struct thread *thread, enum mu_fn fn, const void *block, uint64_t size,
		   uint64_t sp);

/* sampled_free -- record the free of a block, if it is a sampled one.
 *
 * known  set if so; its size is then the bytes that it stood for.
 * Returns whether it is one. Inside the hook.
 */
bool sampled_free(struct thread *thread, const void *block, struct block *known, uint64_t sp);

/* sampled_realloc_take -- remove a block that is about to be reallocated, if it is a sampled one.
 *
 * old  set; its site is SAMPLED_NONE if it is none.
 */
void sampled_realloc_take(struct thread *thread, const void *block, struct block *old);

/* sampled_realloc_done -- count and record a realloc's result, after sampled_realloc_take(). */
void sampled_realloc_done(struct thread *thread, const void *block, const struct block *old,
			  const void *result, uint64_t size, uint64_t sp);

/* sampled_put -- enter a block in table, filter and sums of its site, by a key of block_search.h.
 *
 * log2    from sampling_decide(), not 0. If R has grown since, the block is perhaps not sampled.
 * weight  set if the block is entered.
 * Returns whether it was. The heap does not have it yet.
 */
bool sampled_put(struct thread *thread, uint64_t key, const struct block *block, unsigned int log2,
		 struct sample_weight *weight);

/* sampled_take -- note a peak, and take a block out of table, filter and sums.
 *
 * Returns whether the table had it. The heap still has it.
 */
bool sampled_take(struct thread *thread, uint64_t key, struct block *block,
		  struct sample_weight *weight);

/* sampled_change_heap -- add a block to the heap after sampled_put() (sign 1), or remove it after
 * sampled_take() (-1), and take the snapshots that are due. Not for blocks of MU_KEY_NESTED. */
void sampled_change_heap(struct thread *thread, uint64_t key, const struct block *block,
			 const struct sample_weight *weight, int64_t sign);
