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

/* log_time -- now, in the unit of mu_config.time_source. Async-signal-safe. */
static inline uint64_t log_time(void)
{
	struct timespec now;

	if (likely(rec.ticks))
		return cpu_ticks();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* log_append -- add one record.
 *
 * change  of the heap, bytes; 0 for a stack sample.
 * depth   from stack_note(): replaced by the thread's last own depth on another stack.
 * Call only while busy. Async-signal-safe. Cost about 8 ns, mostly reading the clock.
 */
static inline void log_append(struct thread *thread, int64_t change, uint64_t depth)
{
	struct mu_log_chunk *chunk = thread->log;

	if (likely(depth <= thread->pub.stack_size))
		thread->depth = depth;
	if (unlikely(!chunk || chunk->count == chunk->capacity)) {
		if (!log_next_chunk(thread)) {
			log_drop(thread, change);
			return;
		}
		chunk = thread->log;
		change += thread->pub.log_lost_heap;
		thread->pub.log_lost_heap = 0;
	}
	uint32_t count = chunk->count;
	struct mu_log_record *record = &chunk->record[count];
	record->heap = change;
	record->stack = thread->depth;
	record->time = log_time();
	__atomic_store_n(&chunk->count, count + 1, __ATOMIC_RELEASE);
	if (unlikely(rec.log_wake) && ++thread->log_since_wake >= rec.log_wake) {
		thread->log_since_wake = 0;
		recorder_wake();
	}
}

#endif
