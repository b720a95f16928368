/* log.h -- the event log of each thread (docs/format.md section 6).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/emulated_pause.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"

/* log_next_chunk -- recycle or allocate a chunk, to make room for records.
 *
 * Returns false if the limit is reached: the caller drops the record (log_drop()).
 * Async-signal-safe.
 */
bool log_next_chunk(struct thread *thread);

/* log_drop -- count a record that cannot be kept; its heap change goes into the next one. */
void log_drop(struct thread *thread, int64_t change);

/* log_reset -- in a forked child: forget the parent's chunks. */
void log_reset(struct thread *thread);

/* log_now -- return the time, in the unit of mu_config.time_source. Async-signal-safe. */
static inline uint64_t log_now(void)
{
	if (likely(rec.ticks))
		return clock_ticks();
	emulated_pause();
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	emulated_resume();
	return now;
}

/* log_append_slow -- do log_append() for an event that needs a time stamp, room, or more words. */
void log_append_slow(struct thread *thread, int64_t change, uint64_t depth, bool many);

/* log_append_last -- do log_append_slow() for the only thread, and leave the hook.
 *
 * Waits up to 20 ms for the collector, with signals blocked, if much is unread and the next chunk
 * would have to be new.
 */
void log_append_last(struct thread *thread, int64_t change, uint64_t depth);

/* log_append_quick -- add an event of the only thread if one word is enough.
 *
 * Returns false, having done nothing, if it is not, or if the stack was never so deep (the caller
 * need not have compared it). Calls nothing. Cost 2 ns.
 */
static inline __attribute__((always_inline)) bool
log_append_quick(struct thread *thread, int64_t change, uint64_t depth)
{
	struct mu_log_chunk *chunk = thread->log;
	/* Rotated: a depth that is no multiple of 8 is greater than any limit. */
	uint64_t eighths = depth >> 3 | depth << 61;

	if (unlikely(!chunk) || unlikely(chunk->count >= thread->log_stop) ||
	    unlikely(eighths > thread->log_eighths) || unlikely(change != (int32_t)change) ||
	    unlikely(rec.segment->tick != thread->log_tick))
		return false;
	uint32_t count = chunk->count;
	chunk->word[count] = (uint64_t)change << 32 | eighths << 12 | MU_LOG_EVENT;
	__atomic_store_n(&chunk->count, count + 1, __ATOMIC_RELEASE);
	return true;
}

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
	if (many || !log_append_quick(thread, change, depth))
		log_append_slow(thread, change, depth, many);
}
