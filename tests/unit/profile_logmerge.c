/* profile_logmerge.c -- events of several threads come out in the order of their times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/logmerge.h"

#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(4194304)

enum { MANY = 200000 };

static struct fake f;
static struct image im;
static struct logmerge m;
static struct log_clock clock_now;
static struct log_event out[MANY];

static void begin(int64_t heap)
{
	fake_segment(&f, MU_KIND_TREE, 1, SLOT);
	fake_image(&f, 0);
	image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL);
	logmerge_init(&m, heap, 0, 1 << 20);
	log_clock_begin(&clock_now, 1000000, 1000000);
}

static void end(void)
{
	logmerge_fini(&m);
	free(f.base);
}

static size_t pass(uint64_t now, bool is_dead)
{
	size_t count = 0, n;

	log_clock_advance(&clock_now, now, now);
	EQ_I(logmerge_begin(&m, &im, &clock_now, is_dead), 0);
	while ((n = logmerge_read(&m, &im, out + count, 7)) > 0)
		count += n;
	return count;
}

static void one_thread(void)
{
	struct mu_thread *t;
	uint64_t chunk, next;

	begin(100);
	t = fake_thread(&f, 0);
	chunk = fake_chunk(&f, 0, t, 0, 16);
	fake_event(&f, 0, chunk, 2000000, 50, 800);
	/* Ten ticks later, then at the same time. */
	fake_word(&f, 0, chunk, (uint64_t)20 << 32 | (uint64_t)16 << 9 | 10 << 2 | MU_LOG_EVENT);
	fake_word(&f, 0, chunk, (uint64_t)-170 << 32 | MU_LOG_EVENT);
	fake_word(&f, 0, chunk, MU_LOG_WIDE);
	fake_word(&f, 0, chunk, UINT64_C(1) << 40);
	fake_word(&f, 0, chunk, 9000001);
	EQ_U(pass(3000000, false), 4);
	EQ_U(out[0].heap, 150);
	EQ_U(out[0].stack, 800);
	EQ_U(out[0].time, 2000000);
	EQ_U(out[1].heap, 170);
	EQ_U(out[1].stack, 16);
	EQ_U(out[1].time, 2000010);
	EQ_U(out[2].heap, 0);
	EQ_U(out[3].heap, UINT64_C(1) << 40);
	EQ_U(out[3].stack, 9000001);
	EQ_U(m.heap_peak, UINT64_C(1) << 40);
	EQ_U(m.stack_peak, 9000001);
	EQ_U(m.total_peak, (UINT64_C(1) << 40) + 9000001);
	EQ_U(pass(4000000, false), 0);
	/* The next chunk; the first is given back. */
	next = fake_chunk(&f, 0, t, chunk, 16);
	fake_event(&f, 0, next, 4500000, 1, 0);
	EQ_U(pass(5000000, false), 1);
	EQ_U(((struct mu_log_chunk *)fake_pointer(&f, 0, chunk))->consumed, 1);
	EQ_U(((struct mu_log_chunk *)fake_pointer(&f, 0, next))->consumed, 0);
	EQ_U(m.events, 5);
	end();
}

/* Threads with interleaved times, in chunks of their own. */
static void merged(int threads, int each)
{
	uint64_t chunk[64];
	bool ordered = true, right = true;
	size_t count;

	begin(0);
	for (int i = 0; i < threads; i++)
		chunk[i] = fake_chunk(&f, 0, fake_thread(&f, 0), 0, (uint32_t)each * 2);
	for (int j = 0; j < each * threads; j++) {
		int i = (j * 7 + j / 13) % threads;
		struct mu_log_chunk *c = fake_pointer(&f, 0, chunk[i]);

		if (c->count + 2 <= c->capacity)
			fake_event(&f, 0, chunk[i], 2000000 + (uint64_t)j * 10, 1, 0);
	}
	count = pass(90000000, true);
	for (size_t i = 1; i < count; i++) {
		ordered = ordered && out[i].time > out[i - 1].time;
		right = right && out[i].heap == out[i - 1].heap + 1;
	}
	OK(count > 0 && m.events == count, "%zu events of %d threads", count, threads);
	OK(ordered, "times of %d threads go forward", threads);
	OK(right, "the heap of %d threads is added up in that order", threads);
	end();
}

/* What a thread inside the hook may still bring is waited for. */
static void watermark(void)
{
	struct mu_thread *a, *b;
	uint64_t ca, cb;

	begin(0);
	a = fake_thread(&f, 0);
	b = fake_thread(&f, 0);
	ca = fake_chunk(&f, 0, a, 0, 64);
	cb = fake_chunk(&f, 0, b, 0, 64);
	fake_event(&f, 0, ca, 10000000, 1, 0);
	fake_event(&f, 0, ca, 50000000, 1, 0);
	fake_event(&f, 0, cb, 20000000, 1, 0);
	b->busy = 1;
	b->log_time = 20000000;
	EQ_U(pass(60000000, false), 2);
	b->busy = 0;
	fake_event(&f, 0, cb, 30000000, 1, 0);
	EQ_U(pass(60100000, false), 2);
	EQ_U(out[0].time, 30000000);
	EQ_U(out[1].time, 50000000);
	/* Younger than a millisecond: another thread's store may be under way. */
	fake_event(&f, 0, ca, 60200000, 1, 0);
	EQ_U(pass(60300000, false), 0);
	EQ_U(pass(61300000, false), 1);
	/* A thread that is stuck does not stop the file for ever. */
	b->busy = 1;
	fake_event(&f, 0, ca, 70000000, 1, 0);
	EQ_U(pass(80000000, false), 0);
	EQ_U(pass(2000000000, false), 1);
	/* And the dead wait for nobody. */
	fake_event(&f, 0, ca, 2100000000, 1, 0);
	EQ_U(pass(2100000001, true), 1);
	end();
}

/* Times that go backward, because of a clock or on purpose, do not in the result. */
static void backward(void)
{
	uint64_t chunk;

	begin(0);
	chunk = fake_chunk(&f, 0, fake_thread(&f, 0), 0, 16);
	fake_event(&f, 0, chunk, 5000000, 1, 0);
	fake_event(&f, 0, chunk, 4000000, 1, 0);
	fake_event(&f, 0, chunk, 6000000, 1, 0);
	EQ_U(pass(7000000, true), 3);
	EQ_U(out[1].time, 5000000);
	EQ_U(out[2].time, 6000000);
	end();
}

static void hostile(void)
{
	struct mu_thread *t;
	struct mu_log_chunk *c;
	uint64_t chunk, other;

	begin(0);
	t = fake_thread(&f, 0);
	t->log_first = SLOT - 8;
	EQ_U(pass(7000000, true), 0);
	end();

	begin(0);
	t = fake_thread(&f, 0);
	chunk = fake_chunk(&f, 0, t, 0, 16);
	c = fake_pointer(&f, 0, chunk);
	c->capacity = UINT32_MAX;
	c->count = UINT32_MAX;
	EQ_U(pass(7000000, true), 0);
	c->capacity = 16;
	end();

	/* A circle of empty, sealed chunks. */
	begin(0);
	t = fake_thread(&f, 0);
	chunk = fake_chunk(&f, 0, t, 0, 16);
	other = fake_chunk(&f, 0, t, chunk, 16);
	c = fake_pointer(&f, 0, other);
	c->next = chunk;
	c->sealed = 1;
	EQ_U(pass(7000000, true), 0);
	end();

	/* A wide event that is cut, words of no kind. */
	begin(0);
	chunk = fake_chunk(&f, 0, fake_thread(&f, 0), 0, 16);
	fake_word(&f, 0, chunk, 0);
	fake_event(&f, 0, chunk, 5000000, 1, 0);
	fake_word(&f, 0, chunk, MU_LOG_WIDE);
	fake_word(&f, 0, chunk, 4);
	EQ_U(pass(7000000, true), 1);
	end();
}

/* Discarding gives chunks back and yields nothing. */
static void discard(void)
{
	struct mu_thread *t;
	uint64_t chunk, next;

	begin(0);
	t = fake_thread(&f, 0);
	chunk = fake_chunk(&f, 0, t, 0, 16);
	fake_event(&f, 0, chunk, 5000000, 1, 0);
	next = fake_chunk(&f, 0, t, chunk, 16);
	fake_event(&f, 0, next, 6000000, 1, 0);
	logmerge_discard(&m, &im);
	EQ_U(((struct mu_log_chunk *)fake_pointer(&f, 0, chunk))->consumed, 1);
	EQ_U(m.events, 0);
	end();
}

static void clock_scale(void)
{
	struct log_clock c;

	/* 2.6 ticks per nanosecond. */
	log_clock_begin(&c, 1000, 500);
	log_clock_advance(&c, 1000 + 2600000, 500 + 1000000);
	EQ_U(log_clock_ns(&c, 1000 + 2600000), 1000500);
	IN_U(log_clock_ns(&c, 1000 + 1300000), 500500 - 1, 500500 + 1);
	IN_U(log_clock_ns(&c, 1000), 499, 501);
	IN_U(log_clock_ns(&c, 1000 + 5200000), 2000499, 2000501);
	log_clock_advance(&c, 5, 5);	/* backward: ignored */
	EQ_U(log_clock_ns(&c, 1000 + 2600000), 1000500);
}

int main(void)
{
	one_thread();
	merged(2, 500);
	merged(3, 300);
	merged(17, 200);
	merged(64, 100);
	watermark();
	backward();
	hostile();
	discard();
	clock_scale();
	return done_testing();
}
