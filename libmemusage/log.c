/* log.c -- chunks of the event log: allocated, recycled, dropped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/log.h"

#include "libmemusage/arena.h"

#define CHUNK_FIRST UINT64_C(4096) /* bytes; doubles with each new chunk of a thread */
#define CHUNK_LAST (UINT64_C(256) << 10)

static struct mu_log_chunk *chunk_at(uint64_t offset)
{
	return offset ? at(offset) : NULL;
}

static uint64_t offset_of(const struct mu_log_chunk *chunk)
{
	return (uint64_t)((const uint8_t *)chunk - rec.base);
}

/* The oldest chunk, if the collector has read it all and moved on. */
static struct mu_log_chunk *recycle(struct thread *thread)
{
	struct mu_log_chunk *oldest = thread->log_oldest;

	if (!oldest || oldest == thread->log ||
	    !__atomic_load_n(&oldest->consumed, __ATOMIC_ACQUIRE))
		return NULL;
	thread->log_oldest = chunk_at(oldest->next);
	oldest->next = 0;
	oldest->count = 0;
	oldest->sealed = 0;
	oldest->consumed = 0;
	return oldest;
}

static struct mu_log_chunk *allocate(const struct thread *thread)
{
	uint64_t bytes = CHUNK_FIRST;

	if (thread->log) {
		bytes = sizeof(*thread->log) +
			thread->log->capacity * sizeof(thread->log->record[0]);
		bytes = ((bytes + MU_PAGE - 1) & -(uint64_t)MU_PAGE) * 2;
		bytes = bytes > CHUNK_LAST ? CHUNK_LAST : bytes;
	}
	if (__atomic_load_n(&rec.image->log_bytes, __ATOMIC_RELAXED) + bytes > rec.log_limit)
		return NULL;
	struct mu_log_chunk *chunk = chunk_at(arena_alloc_log(bytes));
	if (chunk)
		chunk->capacity = (uint32_t)((bytes - sizeof(*chunk)) / sizeof(chunk->record[0]));
	return chunk;
}

bool log_next_chunk(struct thread *thread)
{
	struct mu_log_chunk *full = thread->log;
	struct mu_log_chunk *chunk = recycle(thread);

	if (!chunk)
		chunk = allocate(thread);
	if (!chunk)
		return false;
	thread->log = chunk;
	if (full) {
		full->next = offset_of(chunk);
		__atomic_store_n(&full->sealed, 1, __ATOMIC_RELEASE);
		recorder_wake();
	} else {
		__atomic_store_n(&thread->pub.log_first, offset_of(chunk), __ATOMIC_RELEASE);
	}
	if (!thread->log_oldest)
		thread->log_oldest = full ? full : chunk;
	return true;
}

void log_drop(struct thread *thread, int64_t change)
{
	thread->pub.log_lost++;
	thread->pub.log_lost_heap += change;
}

void log_reset(struct thread *thread)
{
	thread->log = NULL;
	thread->log_oldest = NULL;
	thread->pub.log_first = 0;
	thread->pub.log_lost = 0;
	thread->pub.log_lost_heap = 0;
	thread->log_since_wake = 0;
}
