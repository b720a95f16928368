/* deferred_frees.h -- the accounting of frees in a row is deferred.
 *
 * A program that releases its data frees for a long time without an allocation. The CPU overlaps
 * the loads of successive turns of the program's loop as long as they fit into its window. The
 * accounting of each free came between them, and cost several times its own instructions. So after
 * some frees in a row each free only removes the block from the table at once, because the address
 * may be reused. The rest is deferred in the thread's struct mu_batch, which readers in other
 * processes know, and is accounted for, in the order of the frees, before any other event.
 *
 * Only with one thread and snapshots by time, which are due between two ticks, never in a batch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/tables/blocks.h"

#define DEFERRED_FREES_AFTER 8u /* frees in a row */

/* deferred_frees_account -- account for the deferred frees, and defer no more.
 *
 * deferred_frees_begin_slow() begins again. Call inside the hook, or for a thread that has stopped.
 * Async-signal-safe.
 */
void deferred_frees_account(struct thread *thread);

/* deferred_frees_close -- deferred_frees_account() outside of the hook, for the calling thread. */
void deferred_frees_close(struct thread *thread);

/* deferred_frees_begin_slow -- begin to defer frees, if the mode of recording allows it. */
void deferred_frees_begin_slow(struct thread *thread);

/* deferred_frees_settle -- call deferred_frees_account() unless nothing is deferred. */
static inline void deferred_frees_settle(struct thread *thread)
{
	if (unlikely(thread->deferred_limit))
		deferred_frees_account(thread);
}

/* deferred_frees_end -- end the row of frees, at another event. As deferred_frees_account(). */
static inline void deferred_frees_end(struct thread *thread)
{
	deferred_frees_settle(thread);
	thread->frees = 0;
}

/* deferred_frees_begin -- count a free that was not deferred, towards a row. */
static inline void deferred_frees_begin(struct thread *thread)
{
	if (thread->frees == DEFERRED_FREES_AFTER)
		deferred_frees_begin_slow(thread);
	else
		thread->frees++;
}

/* deferred_frees_are_plain -- return whether a record's word `size` says all there is to know. */
static inline bool deferred_frees_are_plain(uint64_t size)
{
	uint64_t birth = size >> 48 << 22;

	return likely(!(birth & (MU_BIRTH_SLACK | MU_BIRTH_OUTER))) ||
	       (!(birth & MU_BIRTH_OUTER) && MU_SLACK(birth));
}

/* deferred_frees_add -- defer a free, if nothing has to be made, searched or waited for.
 *
 * block  not yet freed; sp as for events.
 * Returns false, having done nothing, in any other case. Call inside the hook. Calls nothing.
 */
static inline __attribute__((always_inline)) bool deferred_frees_add(struct thread *thread,
								     const void *block, uint64_t sp)
{
	struct mu_batch *batch = &thread->batch;
	uint64_t address = (uint64_t)block;
	uint32_t count = batch->count;

	if (count >= thread->deferred_limit || address == thread->newest ||
	    unlikely(batch->tick != __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED)) ||
	    unlikely(thread->pub.stack_base - sp > thread->pub.stack_peak))
		return false;
	uint64_t *word = blocks_word_quick(thread, address);
	if (unlikely(!word) || unlikely(!*word))
		return false;
	struct blocks_spot spot = blocks_spot_of(*word, address, false);
	struct mu_line *line = spot.line;
	unsigned int i = blocks_find_known(&spot, false);
	if (unlikely(i == BLOCKS_NONE) || unlikely(!deferred_frees_are_plain(line->size[i])))
		return false;
	batch->free[count] = (struct mu_batch_free){ line->size[i], line->tag[i], line->site[i] };
	line->tag[i] = 0;
	__atomic_store_n(&batch->count, count + 1, __ATOMIC_RELEASE);
	return true;
}
