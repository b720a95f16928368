/* log.h -- the event log of each thread (docs/format.md section 6).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_LOG_H
#define LIBMEMUSAGE_LOG_H

#include <stdint.h>
#include <time.h>

#include "libmemusage/recorder.h"
#include "libmemusage/thread.h"

/* log_next_chunk -- make room for records: recycle or allocate a chunk.
 *
 * Returns false if the limit is reached: the caller drops the record (log_drop()).
 * Async-signal-safe.
 */
bool log_next_chunk(struct thread *thread);

/* log_drop -- count a record that cannot be kept; its heap change goes into the next one. */
void log_drop(struct thread *thread, int64_t change);

/* log_reset -- in a forked child: forget the parent's chunks. */
void log_reset(struct thread *thread);

/* log_now -- now, in the unit of mu_config.time_source. Async-signal-safe. */
static inline uint64_t log_now(void)
{
	struct timespec now;

	if (likely(rec.ticks))
		return cpu_ticks();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* log_append_slow -- as log_append(), for an event that needs a time, room, or more words. */
void log_append_slow(struct thread *thread, int64_t change, uint64_t depth, bool many);

/* log_append -- add one event.
 *
 * change  of the heap, bytes; 0 for a stack sample.
 * depth   from stack_note(): replaced by the thread's last own depth on another stack.
 * many    there are several threads: every event needs its time.
 * Call only while busy. Async-signal-safe. Cost about 2 ns, with a time stamp 8 ns.
 */
static inline __attribute__((always_inline)) void
log_append(struct thread *thread, int64_t change, uint64_t depth, const bool many)
{
	struct mu_log_chunk *chunk = thread->log;

	/* log_left is 0 without a chunk, and when a stamp is due. */
	if (many || unlikely(!thread->log_left) || unlikely(change != (int32_t)change) ||
	    unlikely(depth >= UINT64_C(8) << 20) || unlikely(depth & 7) ||
	    unlikely(rec.segment->tick != thread->log_tick)) {
		log_append_slow(thread, change, depth, many);
		return;
	}
	uint32_t count = chunk->count;
	thread->log_left--;
	thread->depth = depth;
	chunk->word[count] = (uint64_t)change << 32 | depth << 9 | MU_LOG_EVENT;
	__atomic_store_n(&chunk->count, count + 1, __ATOMIC_RELEASE);
}

#endif
