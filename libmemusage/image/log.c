/* log.c -- chunks of the event log: allocated, recycled, dropped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/log.h"

#include <time.h>

#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/signal_mask.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"

#define CHUNK_FIRST UINT64_C(4096) /* bytes; doubles with each new chunk of a thread */
#define CHUNK_LAST (UINT64_C(64) << 10)
/* When so many bytes are unread, the only thread waits for the collector. */
#define WAIT_BYTES (UINT64_C(4) << 20)
#define WAIT_NS 1000000
#define WAIT_TURNS 20
/* The deepest stack that an EVENT word can hold, bytes. */
#define DEPTH_MAX ((UINT64_C(8) << 20) - 8)

static struct mu_log_chunk *chunk_at_offset(uint64_t offset)
{
	return offset ? arena_at(offset) : NULL;
}

static uint64_t offset_of_chunk(const struct mu_log_chunk *chunk)
{
	return (uint64_t)((const uint8_t *)chunk - rec.base);
}

/* Returns whether the collector has read all of the oldest chunk and no longer uses it. */
static bool is_oldest_chunk_read(const struct thread *thread)
{
	const struct mu_log_chunk *oldest = thread->log_oldest;

	return oldest && oldest != thread->log &&
	       __atomic_load_n(&oldest->consumed, __ATOMIC_ACQUIRE);
}

static struct mu_log_chunk *recycle_oldest_chunk(struct thread *thread)
{
	struct mu_log_chunk *oldest = thread->log_oldest;

	if (!is_oldest_chunk_read(thread))
		return NULL;
	thread->log_is_unread = false;
	thread->log_oldest = chunk_at_offset(oldest->next);
	oldest->next = 0;
	oldest->count = 0;
	oldest->sealed = 0;
	oldest->consumed = 0;
	return oldest;
}

static struct mu_log_chunk *allocate_chunk(const struct thread *thread)
{
	uint64_t bytes = CHUNK_FIRST;

	if (thread->log) {
		bytes = sizeof(*thread->log) +
			thread->log->capacity * sizeof(thread->log->word[0]);
		bytes = ((bytes + MU_PAGE - 1) & -(uint64_t)MU_PAGE) * 2;
		bytes = bytes > CHUNK_LAST ? CHUNK_LAST : bytes;
	}
	if (__atomic_load_n(&rec.image->log_bytes, __ATOMIC_RELAXED) + bytes > rec.log_limit)
		return NULL;
	struct mu_log_chunk *chunk = chunk_at_offset(arena_alloc_log(bytes));
	if (chunk)
		chunk->capacity = (uint32_t)((bytes - sizeof(*chunk)) / sizeof(chunk->word[0]));
	return chunk;
}

bool log_next_chunk(struct thread *thread)
{
	struct mu_log_chunk *full = thread->log;
	struct mu_log_chunk *chunk = recycle_oldest_chunk(thread);

	if (!chunk)
		chunk = allocate_chunk(thread);
	if (!chunk)
		return false;
	/* The first event needs at most four more words. */
	thread->pub.log_time = log_now();
	chunk->word[0] = thread->pub.log_time << 2 | MU_LOG_TIME;
	chunk->count = 1;
	thread->log = chunk;
	if (full) {
		full->next = offset_of_chunk(chunk);
		__atomic_store_n(&full->sealed, 1, __ATOMIC_RELEASE);
		/* Small chunks stay in use: counting events instead of chunks makes a fifth of the
		 * wakes, each of which costs both sides some microseconds. */
		if (!rec.log_wake)
			recorder_wake();
	} else {
		__atomic_store_n(&thread->pub.log_first, offset_of_chunk(chunk), __ATOMIC_RELEASE);
	}
	if (!thread->log_oldest)
		thread->log_oldest = full ? full : chunk;
	return true;
}

/* Reads the clock for the next event. Returns the ticks that its word holds; writes a time word if
 * they are too many. */
static unsigned int stamp_next_event(struct thread *thread, uint64_t **word)
{
	uint64_t now = log_now();
	uint64_t ticks = now - thread->pub.log_time;

	thread->pub.log_time = now;
	if (likely(ticks < 1024))
		return (unsigned int)ticks;
	*(*word)++ = now << 2 | MU_LOG_TIME;
	return 0;
}

static uint32_t minimum_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Returns how many more events may follow without a stamp, a check for room, or a wake. */
static uint32_t events_until_stop(const struct thread *thread, bool many)
{
	const struct mu_log_chunk *chunk = thread->log;
	uint32_t room = chunk->capacity - chunk->count;
	uint32_t events = rec.log_stamp_every ? rec.log_stamp_every - 1 : 0;

	if (many || room < MU_LOG_EVENT_WORDS)
		return 0;
	if (rec.log_wake)
		events = minimum_of(events, rec.log_wake - thread->log_since_wake - 1);
	return minimum_of(events, room - MU_LOG_EVENT_WORDS);
}

/* Sets the limits of log_append_quick(). */
static void set_quick_limits(struct thread *thread, bool many)
{
	uint64_t deepest = thread->pub.stack_peak;

	thread->log_eighths = (deepest < DEPTH_MAX ? deepest : DEPTH_MAX) / 8;
	thread->log_seen = thread->log->count;
	thread->log_stop = thread->log_seen + events_until_stop(thread, many);
}

/* Counts the events that log_append_quick() has appended since the last call: a word each. */
static void count_quick_events(struct thread *thread)
{
	const struct mu_log_chunk *chunk = thread->log;

	if (!chunk || chunk->count == thread->log_seen)
		return;
	thread->log_since_wake += chunk->count - thread->log_seen;
	thread->log_seen = chunk->count;
	thread->depth = MU_LOG_STACK(chunk->word[chunk->count - 1]);
}

static void wake_collector_if_due(struct thread *thread)
{
	if (likely(!rec.log_wake) || thread->log_since_wake < rec.log_wake)
		return;
	thread->log_since_wake = 0;
	recorder_wake();
}

void log_drop(struct thread *thread, int64_t change)
{
	thread->pub.log_lost++;
	thread->pub.log_lost_heap += change;
}

/* Resumes the coarse clock, which rests if no event came. At most once a millisecond. */
static void publish_stamp_tick(uint32_t tick)
{
	struct mu_segment *segment = rec.segment;

	if (likely(__atomic_load_n(&segment->stamped, __ATOMIC_RELAXED) == tick))
		return;
	__atomic_store_n(&segment->stamped, tick, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&segment->tick_rests, __ATOMIC_SEQ_CST) &&
	    __atomic_exchange_n(&segment->tick_rests, 0, __ATOMIC_SEQ_CST))
		recorder_wake();
}

void log_append_slow(struct thread *thread, int64_t change, uint64_t depth, bool many)
{
	struct mu_log_chunk *chunk = thread->log;

	count_quick_events(thread);
	thread->log_since_wake++;
	if (likely(depth <= thread->pub.stack_size))
		thread->depth = depth;
	if (unlikely(!chunk || chunk->count + MU_LOG_EVENT_WORDS > chunk->capacity)) {
		if (!log_next_chunk(thread)) {
			log_drop(thread, change);
			return;
		}
		chunk = thread->log;
		change += thread->pub.log_lost_heap;
		thread->pub.log_lost_heap = 0;
	}
	uint64_t *word = &chunk->word[chunk->count];
	uint64_t ticks = stamp_next_event(thread, &word);
	uint64_t stack = thread->depth;
	if (likely(change == (int32_t)change) && likely(stack <= DEPTH_MAX) &&
	    likely(!(stack & 7))) {
		*word++ = (uint64_t)change << 32 | stack << 9 | ticks << 2 | MU_LOG_EVENT;
	} else {
		*word++ = ticks << 2 | MU_LOG_WIDE;
		*word++ = (uint64_t)change;
		*word++ = stack;
	}
	__atomic_store_n(&chunk->count, (uint32_t)(word - chunk->word), __ATOMIC_RELEASE);
	thread->log_tick = __atomic_load_n(&rec.segment->tick, __ATOMIC_RELAXED);
	publish_stamp_tick((uint32_t)thread->log_tick);
	wake_collector_if_due(thread);
	set_quick_limits(thread, many);
}

/* A disk may be slower than the program. Then new memory costs more than waiting. A collector that
 * does not read within 20 ms is not waited for again until it has read. */
static bool must_await_collector(const struct thread *thread)
{
	const struct mu_log_chunk *chunk = thread->log;

	return chunk && chunk->count + MU_LOG_EVENT_WORDS > chunk->capacity &&
	       __atomic_load_n(&rec.image->log_bytes, __ATOMIC_RELAXED) >= WAIT_BYTES &&
	       !is_oldest_chunk_read(thread) && !thread->log_is_unread && !sandbox.is_on;
}

static void await_collector(struct thread *thread)
{
	const struct timespec pause = { 0, WAIT_NS };

	for (int turn = 0; turn < WAIT_TURNS && !is_oldest_chunk_read(thread); turn++)
		SYS2(SYS_nanosleep, &pause, NULL);
	thread->log_is_unread = !is_oldest_chunk_read(thread);
}

static void append_and_leave(struct thread *thread, int64_t change, uint64_t depth)
{
	log_append_slow(thread, change, depth, false);
	__atomic_store_n(&thread->pub.busy, 0, __ATOMIC_RELEASE);
}

/* Signals are blocked while it waits: events of a handler that interrupts the hook are not
 * recorded. */
void log_append_last(struct thread *thread, int64_t change, uint64_t depth)
{
	struct signal_mask mask;

	if (likely(!must_await_collector(thread))) {
		append_and_leave(thread, change, depth);
		return;
	}
	signal_mask_all(&mask);
	await_collector(thread);
	append_and_leave(thread, change, depth);
	signal_mask_restore(&mask);
}

void log_reset(struct thread *thread)
{
	thread->log = NULL;
	thread->log_oldest = NULL;
	thread->pub.log_first = 0;
	thread->pub.log_lost = 0;
	thread->pub.log_lost_heap = 0;
	thread->log_since_wake = 0;
	thread->log_seen = 0;
	thread->log_stop = 0;
	thread->log_is_unread = false;
}
