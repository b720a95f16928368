/* recorder_log.c -- what goes into the event log comes out of it: all of it, in order, in chunks
 * that are used again, within the limit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "libmemusage/image/log.h"
#include "tests/lib/recorder.h"

enum { EVENTS = 200000 };

/* A reader by docs/format.md, section 6. */
struct reader {
	const struct mu_log_chunk *chunk;
	uint32_t word;
	uint64_t time;
	uint64_t events, backward, broken;
	int64_t heap;
	uint64_t depth; /* of the last event */
};

static void read_event(struct reader *r)
{
	uint64_t word = r->chunk->word[r->word++];
	uint64_t before = r->time;

	if (MU_LOG_KIND(word) == MU_LOG_TIME) {
		r->time = word >> 2;
		r->backward += r->time < before;
		return;
	}
	r->time += MU_LOG_TICKS(word);
	r->events++;
	if (MU_LOG_KIND(word) == MU_LOG_EVENT) {
		r->heap += MU_LOG_HEAP(word);
		r->depth = MU_LOG_STACK(word);
	} else if (MU_LOG_KIND(word) == MU_LOG_WIDE) {
		r->heap += (int64_t)r->chunk->word[r->word++];
		r->depth = r->chunk->word[r->word++];
	} else {
		r->broken++;
	}
}

/* Reads all there is; gives chunks back if CONSUME. */
static void read_all(struct reader *r, bool consume)
{
	if (!r->chunk && self->pub.log_first)
		r->chunk = arena_at(self->pub.log_first);
	while (r->chunk) {
		while (r->word < __atomic_load_n(&r->chunk->count, __ATOMIC_ACQUIRE))
			read_event(r);
		if (!__atomic_load_n(&r->chunk->sealed, __ATOMIC_ACQUIRE))
			return;
		if (r->word < __atomic_load_n(&r->chunk->count, __ATOMIC_ACQUIRE))
			continue;
		struct mu_log_chunk *old = (struct mu_log_chunk *)r->chunk;
		r->chunk = arena_at(old->next);
		r->word = 0;
		r->broken += MU_LOG_KIND(r->chunk->word[0]) != MU_LOG_TIME;
		if (consume)
			__atomic_store_n(&old->consumed, 1, __ATOMIC_RELEASE);
	}
}

static int64_t some_change(uint64_t *random)
{
	uint64_t bits = test_random(random) % 47;
	int64_t change = (int64_t)(test_random(random) & ((UINT64_C(1) << bits) - 1));

	return test_random(random) & 1 ? change : -change;
}

static uint64_t some_depth(uint64_t *random)
{
	uint64_t depth = test_random(random) % (UINT64_C(20) << 20);

	return test_random(random) % 4 ? depth % 100000 & ~UINT64_C(7) : depth;
}

/* What was appended; the reader must agree. */
static void append_and_read(bool many, bool consume, unsigned int stamp_every)
{
	uint64_t random = 5, depth = 0, at_once = 0;
	struct reader r = { 0 };
	int64_t heap = 0;

	recorder_image(UINT64_C(512) << 20, MU_CFG_LOG);
	rec.log_stamp_every = stamp_every;
	self->pub.stack_size = UINT64_C(64) << 20;
	self->pub.stack_peak = UINT64_C(12) << 20;
	for (int i = 0; i < EVENTS; i++) {
		int64_t change = i % 10 ? some_change(&random) % 5000 : some_change(&random);
		depth = some_depth(&random);
		heap += change;
		log_append(self, change, depth, many);
		if (i % 1000 == 0) {
			rec.segment->tick++;
			read_all(&r, consume);
			at_once += r.events != (uint64_t)i + 1 || r.heap != heap ||
				   r.depth != depth;
		}
	}
	read_all(&r, consume);
	EQ_U(at_once, 0);
	EQ_U(r.events, EVENTS);
	EQ_I(r.heap, heap);
	EQ_U(r.backward, 0);
	EQ_U(r.broken, 0);
	EQ_U(self->pub.log_lost, 0);
	if (consume)
		IN_U(rec.image->log_bytes, 1, 1 << 20);
}

/* Nobody reads until the limit is reached. Then the reader comes back: the next event carries
 * the heap of those that were dropped. */
static void limit(void)
{
	struct reader r = { 0 };
	int64_t heap = 0;

	recorder_image(UINT64_C(512) << 20, MU_CFG_LOG);
	rec.log_limit = 1 << 20;
	for (int i = 0; i < EVENTS * 2; i++) {
		log_append(self, i, 8, false);
		heap += i;
	}
	IN_U(rec.image->log_bytes, 1 << 18, 1 << 20);
	read_all(&r, true);
	IS_TRUE(self->pub.log_lost > 0);
	EQ_U(r.events + self->pub.log_lost, EVENTS * 2);
	IS_TRUE(r.heap != heap);
	EQ_I(r.heap + self->pub.log_lost_heap, heap);
	log_append(self, 1, 8, false);
	read_all(&r, true);
	EQ_I(r.heap, heap + 1);
	EQ_I(self->pub.log_lost_heap, 0);
	EQ_U(r.broken + r.backward, 0);
}

/* A depth on another stack is the last one of the own. */
static void other_stack(void)
{
	struct reader r = { 0 };

	recorder_image(UINT64_C(16) << 20, MU_CFG_LOG);
	self->pub.stack_size = 1 << 20;
	self->pub.stack_peak = 8000;
	rec.log_stamp_every = 16;
	log_append(self, 1, 4000, false);
	log_append(self, 1, UINT64_C(1) << 40, false);
	read_all(&r, true);
	EQ_U(r.depth, 4000);
	/* Also if that was appended in no time. */
	IS_TRUE(log_append_quick(self, 1, 4080));
	IS_TRUE(!log_append_quick(self, 1, 8008));
	log_append(self, 1, UINT64_C(1) << 40, false);
	read_all(&r, true);
	EQ_U(r.depth, 4080);
	log_append(self, 1, 4008, false);
	log_append(self, 1, UINT64_C(0) - 64, true);
	read_all(&r, true);
	EQ_U(r.depth, 4008);
	EQ_U(r.events, 6);
}

/* Each so many events the collector is woken. */
static void wakes(void)
{
	uint32_t before;

	recorder_image(UINT64_C(16) << 20, MU_CFG_LOG);
	self->pub.stack_peak = 8;
	rec.log_wake = 10;
	rec.log_stamp_every = 16;
	before = rec.segment->wake;
	for (int i = 0; i < 1000; i++)
		log_append(self, 1, 8, false);
	/* One more for each chunk that became full. */
	IN_U(rec.segment->wake - before, 100, 110);
	rec.log_wake = 0;
}

static void append_last(int64_t change)
{
	self->pub.busy = 1;
	if (!log_append_quick(self, change, 8))
		log_append_last(self, change, 8);
	self->pub.busy = 0;
}

/* A reader who is slow, but reads. */
static uint64_t slowest_ns, must_stop;

static void *read_slowly(void *data)
{
	const struct timespec pause = { 0, 300000 };
	struct reader *r = data;
	uint64_t last = log_now(), now;

	while (!__atomic_load_n(&must_stop, __ATOMIC_ACQUIRE)) {
		nanosleep(&pause, NULL);
		read_all(r, true);
		now = log_now();
		slowest_ns = now - last > slowest_ns ? now - last : slowest_ns;
		last = now;
	}
	read_all(r, true);
	return NULL;
}

/* A lone thread waits where much is to be read, and blocks signals only then. */
static void waits(void)
{
	struct reader r = { 0 };
	pthread_t thread;
	sigset_t blocked;
	int64_t heap = 0;

	recorder_image(UINT64_C(512) << 20, MU_CFG_LOG);
	rec.log_stamp_every = 64;
	rec.log_limit = UINT64_C(256) << 20;
	self->pub.stack_peak = 8;
	/* `self` is each thread's own. */
	append_last(0);
	r.chunk = arena_at(self->pub.log_first);
	IS_TRUE(pthread_create(&thread, NULL, read_slowly, &r) == 0);
	for (int i = 0; i < EVENTS * 20; i++) {
		append_last(i % 1000);
		heap += i % 1000;
	}
	__atomic_store_n(&must_stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	EQ_U(r.events, EVENTS * 20 + 1);
	EQ_I(r.heap, heap);
	EQ_U(r.broken + r.backward, 0);
	EQ_U(self->pub.log_lost, 0);
	/* Who is kept from reading for 20 ms is not waited for. */
	if (slowest_ns < 15000000)
		IN_U(rec.image->log_bytes, 1, (4 << 20) + (128 << 10));
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	IS_TRUE(!sigismember(&blocked, SIGUSR1));
}

/* If nobody reads, it waits once: the rest of the limit is used as it comes. */
static void waits_in_vain(void)
{
	struct reader r = { 0 };
	uint64_t turns;

	recorder_image(UINT64_C(512) << 20, MU_CFG_LOG);
	rec.log_limit = UINT64_C(256) << 20;
	self->pub.stack_peak = 8;
	while (!self->log_is_unread && rec.image->log_bytes < UINT64_C(64) << 20)
		append_last(1);
	IS_TRUE(self->log_is_unread);
	IN_U(rec.image->log_bytes, 4 << 20, (4 << 20) + (128 << 10));
	for (turns = 0; turns < EVENTS * 10; turns++)
		append_last(1);
	IN_U(rec.image->log_bytes, 16 << 20, 64 << 20);
	read_all(&r, true);
	IS_TRUE(r.events > turns);
	EQ_U(self->pub.log_lost, 0);
	for (turns = 0; self->log_is_unread && turns < EVENTS; turns++)
		append_last(1);
	IS_TRUE(!self->log_is_unread);
}

int main(void)
{
	append_and_read(false, true, 16);
	append_and_read(false, false, 1);
	append_and_read(true, true, 16);
	append_and_read(false, true, 0);
	limit();
	other_stack();
	wakes();
	waits();
	waits_in_vain();
	return done_testing();
}
