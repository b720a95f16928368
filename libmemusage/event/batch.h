/* batch.h -- frees in a row are booked in batches.
 *
 * A program that takes down what it has built frees for a long time without an allocation. Its
 * own loads of one turn of its loop overlap those of the next as long as both fit into what the
 * CPU looks ahead at: the accounting of each free stood in between, and cost several times its own
 * instructions. So after some frees in a row only the table is told at once, since the address may
 * be given out again; all else waits in the thread's struct mu_batch, which readers from
 * outside know, and is booked, in the order of the frees, before anything else happens.
 *
 * For one thread, and snapshots by time: those are due between two ticks, never within a batch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_EVENT_BATCH_H
#define LIBMEMUSAGE_EVENT_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/tables/blocks.h"

#define BATCH_AFTER 8u /* frees in a row */

/* batch_book -- book what waits; then nothing is taken until batch_begin_slow().
 *
 * Call inside the hook, or for a thread that has stopped. Async-signal-safe.
 */
void batch_book(struct thread *thread);

/* batch_close -- the same outside of the hook, for the calling thread's record. */
void batch_close(struct thread *thread);

/* batch_begin_slow -- take frees from now on, if the way of recording allows it. */
void batch_begin_slow(struct thread *thread);

/* batch_settle -- book what waits, if anything does. As batch_book(). */
static inline void batch_settle(struct thread *thread)
{
	if (unlikely(thread->batch_limit))
		batch_book(thread);
}

/* batch_end -- an event that is no free: the row is over. As batch_book(). */
static inline void batch_end(struct thread *thread)
{
	batch_settle(thread);
	thread->frees = 0;
}

/* batch_begin -- a free was booked at once. */
static inline void batch_begin(struct thread *thread)
{
	if (thread->frees == BATCH_AFTER)
		batch_begin_slow(thread);
	else
		thread->frees++;
}

/* batch_is_plain -- whether all that is known of a block stands in its record: its word `size`. */
static inline bool batch_is_plain(uint64_t size)
{
	uint64_t birth = size >> 48 << 22;

	return likely(!(birth & (MU_BIRTH_SLACK | MU_BIRTH_OUTER))) ||
	       (!(birth & MU_BIRTH_OUTER) && MU_SLACK(birth));
}

/* batch_add -- take a free, if nothing has to be made, searched or waited for.
 *
 * block  still lives; sp as for events.
 * Returns false, having done nothing, in any other case. Call inside the hook. Calls nothing.
 */
static inline __attribute__((always_inline)) bool
batch_add(struct thread *thread, const void *block, uint64_t sp)
{
	struct mu_batch *batch = &thread->batch;
	uint64_t address = (uint64_t)block;
	uint32_t count = batch->count;

	if (count >= thread->batch_limit || address == thread->newest ||
	    unlikely(batch->tick != __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED)) ||
	    unlikely(thread->pub.stack_base - sp > thread->pub.stack_peak))
		return false;
	uint64_t *word = blocks_word_quick(thread, address);
	if (unlikely(!word) || unlikely(!*word))
		return false;
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(*word, granule, false);
	struct mu_line *line = blocks_line(*word, place, false);
	unsigned int i = blocks_find(line, blocks_first(place, false), BLOCK_TAG_KEY,
				     blocks_key(granule), false);
	if (unlikely(i == BLOCKS_NONE) || unlikely(!batch_is_plain(line->size[i])))
		return false;
	batch->free[count] = (struct mu_batch_free){ line->size[i], line->tag[i], line->site[i] };
	line->tag[i] = 0;
	__atomic_store_n(&batch->count, count + 1, __ATOMIC_RELEASE);
	return true;
}

#endif
