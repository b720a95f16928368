/* recorder_threads.c -- records of threads are used again when their thread is gone, and what
 * they counted is not lost.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>

#include "libmemusage/event/event.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/lifecycle/threads.h"
#include "libmemusage/tables/heap.h"
#include "tests/lib/recorder.h"

static uint64_t record_count(void)
{
	return rec.image->table[MU_SEC_THREADS].count;
}

static void *counts(void *unused)
{
	struct thread *thread = thread_attach(NULL);

	if (!thread)
		return unused;
	thread->pub.counters.calls[MU_FN_MALLOC] += 3;
	thread->pub.counters.bytes[MU_FN_MALLOC] += 300;
	thread->pub.counters.hist_low[5] += 3;
	counters_hist_high(&thread->pub.counters)[7] += 2;
	heap_change(thread, 100, true);
	return unused;
}

struct site_sums {
	uint64_t calls, bytes, low, high;
	int64_t pending;
};

static void add(const struct mu_counters *c, struct site_sums *s)
{
	s->calls += c->calls[MU_FN_MALLOC];
	s->bytes += c->bytes[MU_FN_MALLOC];
	s->low += c->hist_low[5];
	if (c->hist_high)
		s->high += ((const uint64_t *)arena_at(c->hist_high))[7];
}

static void add_thread(struct thread *thread, void *sums)
{
	struct site_sums *s = sums;

	add(&thread->pub.counters, s);
	s->pending += thread->pub.pending_heap;
}

static void come_and_go(int count)
{
	struct site_sums s = { 0 };

	recorder_image(UINT64_C(64) << 20, 0);
	for (int i = 0; i < count; i++) {
		pthread_t id;
		pthread_create(&id, NULL, counts, NULL);
		pthread_join(id, NULL);
	}
	thread_for_each(add_thread, &s);
	add(&rec.image->retired, &s);
	EQ_U(s.calls, (uint64_t)count * 3);
	EQ_U(s.bytes, (uint64_t)count * 300);
	EQ_U(s.low, (uint64_t)count * 3);
	EQ_U(s.high, (uint64_t)count * 2);
	EQ_I(rec.image->heap.now + s.pending, count * 100);
	IN_U(record_count(), 1, 16);
	IN_U(rec.image->heap.threads, 1, 16);
	EQ_U(rec.image->drops.threads, 0);
}

/* A record that was prepared for a thread that never came. */
static void discard(void)
{
	recorder_image(UINT64_C(16) << 20, 0);
	uint64_t before = record_count();

	for (int i = 0; i < 100; i++)
		thread_discard(thread_prepare());
	IN_U(record_count(), before, before + 1);
}

/* An arena without room: a thread without a record is counted, once. */
static void no_room(void)
{
	struct thread *thread = NULL;
	int made = 0;

	recorder_image(UINT64_C(1) << 20, 0);
	while (made < 10000 && (thread = thread_prepare()))
		made++;
	IN_U((uint64_t)made, 10, 1000);
	self = &no_thread;
	for (int i = 0; i < 3; i++)
		IS_NULL(thread_attach(NULL));
	EQ_U(rec.image->drops.threads, 1);
}

/* Parts of a record that find no room are counted, and what retired threads had needs none. */
static void no_room_for_parts(void)
{
	struct mu_counters none = { .calls = { 0 } };
	struct site_sums s = { 0 };
	pthread_t id;
	uint64_t refused = 0;

	recorder_image(UINT64_C(4) << 20, 0);
	rec.flags |= MU_CFG_LIFETIMES;
	pthread_create(&id, NULL, counts, NULL);
	pthread_join(id, NULL);
	EQ_U(rec.image->drops.lifetimes, 0);
	while (arena_alloc(4096, 64))
		;
	while (arena_alloc(64, 64))
		;
	for (int i = 0; i < 3; i++)
		refused += !thread_prepare();
	IN_U(rec.image->drops.lifetimes, 1, 2);
	EQ_U(rec.image->drops.lifetimes + refused, 2);
	add(&rec.image->retired, &s);
	EQ_U(s.high, 2);
	EQ_U(rec.image->drops.hist_high, 0);
	IS_NULL(counters_hist_high(&none));
	EQ_U(rec.image->drops.hist_high, 1);
	rec.flags &= ~MU_CFG_LIFETIMES;
}

static void published(void)
{
	int64_t peak = 0;

	recorder_image(UINT64_C(16) << 20, 0);
	heap_set_threads(3);
	for (int i = 0; i < 10000; i++) {
		int64_t change = i % 100 < 60 ? 1000 : -1500;
		heap_change(self, change, true);
		int64_t now = rec.image->heap.now + self->pub.pending_heap;
		peak = now > peak ? now : peak;
	}
	heap_settle(self);
	EQ_I(rec.image->heap.now, 0);
	int64_t seen = rec.image->heap.peak;
	IS_TRUE(seen <= peak && seen >= peak - rec.image->heap.peak_bound);
	diag("peak %" PRId64 ", seen %" PRId64 ", slack %" PRId64, peak, seen,
	     rec.image->heap.peak_bound);
}

int main(void)
{
	come_and_go(200);
	discard();
	no_room();
	no_room_for_parts();
	published();
	return done_testing();
}
