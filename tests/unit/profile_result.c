/* profile_result.c -- sums over threads, and what a summary takes from an image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/result.h"

#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(2097152)

static struct result r;
static struct fake f;
static struct image im;

static void begin(void)
{
	fake_segment(&f, MU_KIND_TREE, 1, SLOT);
	fake_image(&f, 0)->process.pid = 1; /* 0 is a merge */
	image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL);
}

static void sums(void)
{
	struct mu_thread *a, *b;
	uint64_t high, *bucket;

	begin();
	a = fake_thread(&f, 0);
	b = fake_thread(&f, 0);
	a->counters.calls[MU_FN_MALLOC] = 2;
	a->counters.bytes[MU_FN_MALLOC] = 200;
	b->counters.calls[MU_FN_MALLOC] = 3;
	b->counters.bytes[MU_FN_MALLOC] = 300;
	b->counters.calls[MU_FN_FREE] = 1;
	b->counters.bytes[MU_FN_FREE] = 100;
	fake_at(&f, 0)->retired.calls[MU_FN_CALLOC] = 7;
	fake_at(&f, 0)->retired.bytes[MU_FN_CALLOC] = 70;
	fake_at(&f, 0)->retired.bytes[MU_FN_MUNMAP] = 4096;
	a->counters.hist_low[1] = 4;
	b->counters.hist_low[1] = 5;
	b->counters.hist_large = 6;
	high = fake_alloc(&f, 0, MU_HIST_HIGH * 8);
	bucket = fake_pointer(&f, 0, high);
	bucket[0] = 8;
	bucket[MU_HIST_HIGH - 1] = 9;
	a->counters.hist_high = high;
	b->counters.hist_high = SLOT - 8;	/* not whole: not there */
	result_take(&r, &im);
	EQ_U(r.counters.calls[MU_FN_MALLOC], 5);
	EQ_U(r.counters.bytes[MU_FN_MALLOC], 500);
	EQ_U(r.counters.calls[MU_FN_CALLOC], 7);
	EQ_U(counters_heap_total(&r.counters), 570);
	EQ_U(counters_calls(&r.counters), 13);
	EQ_U(r.counters.hist[1], 9);
	EQ_U(r.counters.hist_large, 6);
	EQ_U(r.counters.hist[MU_HIST_LOW], 8);
	EQ_U(r.counters.hist[MU_HIST_BUCKETS - 1], 9);
	EQ_U(r.own_calls, 13);
	free(f.base);
}

static void heap_and_stack(void)
{
	struct mu_thread *a, *b;

	begin();
	a = fake_thread(&f, 0);
	b = fake_thread(&f, 0);
	a->stack_peak = 500;
	b->stack_peak = 900;
	fake_at(&f, 0)->retired_stack_peak = 700;
	fake_at(&f, 0)->heap = (struct mu_heap){ .now = 1000, .peak = 900, .peak_bound = 64,
						 .threads_max = 2 };
	b->pending_heap = 50;
	result_take(&r, &im);
	EQ_U(r.stack_peak, 900);
	EQ_U(r.heap_now, 1050);
	EQ_U(r.heap_peak, 1050);
	EQ_U(r.peak_bound, 8192);
	fake_at(&f, 0)->process.pid = 0; /* a merge: its ends add up to more than its peak */
	result_take(&r, &im);
	EQ_U(r.heap_now, 1050);
	EQ_U(r.heap_peak, 900);
	fake_at(&f, 0)->process.pid = 1;
	fake_at(&f, 0)->retired_stack_peak = 1700;
	fake_at(&f, 0)->heap.peak = 5000;
	fake_at(&f, 0)->heap.peak_bound = 10000;
	b->pending_heap = -2000;
	result_take(&r, &im);
	EQ_U(r.stack_peak, 1700);
	EQ_U(r.heap_peak, 5000);
	EQ_U(r.peak_bound, 10000);
	fake_at(&f, 0)->heap.peak = 1 << 30;
	result_take(&r, &im);
	EQ_U(r.peak_bound, 1 << 20);
	fake_at(&f, 0)->sampling.log2 = 14;
	result_take(&r, &im);
	EQ_U(r.peak_bound, 0);
	fake_at(&f, 0)->sampling.log2 = 0;
	fake_at(&f, 0)->heap.threads_max = 1;
	result_take(&r, &im);
	EQ_U(r.peak_bound, 0);
	EQ_U(r.heap_now, 0);
	free(f.base);
}

/* One block was sampled, and stands for more than all that was asked for. */
static void estimates_have_limits(void)
{
	struct mu_thread *thread;

	begin();
	fake_at(&f, 0)->sampling.log2 = fake_at(&f, 0)->sampling.first_log2 = 14;
	fake_at(&f, 0)->heap = (struct mu_heap){ .now = 98306, .peak = 98306 };
	thread = fake_thread(&f, 0);
	thread->counters.bytes[MU_FN_MALLOC] = 42000;
	thread->counters.bytes[MU_FN_CALLOC] = 476;
	thread->counters.bytes[MU_FN_FREE] = 5000;
	result_take(&r, &im);
	EQ_U(r.heap_peak, 42476);
	EQ_U(r.heap_now, 42476);
	EQ_U(r.own_peak, 42476);
	EQ_U(r.own_now, 42476);
	EQ_D(sampled_bytes_interval(&r.errors.peak, 42476, 16384).high, 42476, 0);
	/* A child has its parent's counters, and of its own at most what it asked for. */
	fake_at(&f, 0)->process.fork_mono_ns = 1;
	fake_at(&f, 0)->fork_heap = 60000;
	fake_at(&f, 0)->fork_bytes[MU_FN_MALLOC] = 30000;
	result_take(&r, &im);
	EQ_U(r.heap_peak, 42476);
	EQ_U(r.own_peak, 12476);
	EQ_U(r.own_now, 12476);
	/* One with cells of its own has counters of its own, and inherited blocks besides. */
	fake_at(&f, 0)->fork_cells = 1;
	fake_at(&f, 0)->fork_bytes[MU_FN_MALLOC] = 0;
	fake_at(&f, 0)->fork_heap = 50000;
	result_take(&r, &im);
	EQ_U(r.heap_peak, 92476);
	EQ_U(r.own_peak, 42476);
	/* So has one that an attacher found. */
	fake_at(&f, 0)->fork_cells = 0;
	fake_at(&f, 0)->process.fork_mono_ns = 0;
	fake_at(&f, 0)->notes = MU_NOTE_ATTACHED;
	result_take(&r, &im);
	EQ_U(r.heap_peak, 92476);
	fake_at(&f, 0)->notes = MU_NOTE_COUNTED_AGAIN;
	result_take(&r, &im);
	EQ_U(r.heap_peak, 98306);
	free(f.base);
}

static void names(void)
{
	static const struct {
		const char *line;
		size_t length;
		const char *exe, *want;
	} cases[] = {
		{ "ls\0-l", 6, "/bin/ls", "ls" },
		{ "/usr/bin/ls\0-l", 15, "/bin/ls", "ls" },
		{ "", 0, "/bin/busybox", "busybox" },
		{ "dir/", 5, "/bin/x", "dir/" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mu_process *p;

		begin();
		p = &fake_at(&f, 0)->process;
		p->cmdline = fake_string(&f, 0, cases[i].line, cases[i].length);
		p->exe = fake_string(&f, 0, cases[i].exe, strlen(cases[i].exe));
		result_take(&r, &im);
		EQ_S(r.name, cases[i].want);
		free(f.base);
	}
}

static void own_share(void)
{
	struct mu_thread *a;

	begin();
	a = fake_thread(&f, 0);
	a->counters.calls[MU_FN_MALLOC] = 10;
	a->counters.bytes[MU_FN_MALLOC] = 1000;
	fake_at(&f, 0)->fork_calls[MU_FN_MALLOC] = 8;
	fake_at(&f, 0)->fork_bytes[MU_FN_MALLOC] = 700;
	result_take(&r, &im);
	EQ_U(r.own_calls, 2);
	EQ_U(r.own_bytes, 300);
	free(f.base);
}

/* More threads than can be: the count is not believed. */
static void many_threads(void)
{
	begin();
	fake_thread(&f, 0)->counters.calls[MU_FN_MALLOC] = 1;
	fake_at(&f, 0)->table[MU_SEC_THREADS].count = UINT64_MAX;
	result_take(&r, &im);
	EQ_U(r.counters.calls[MU_FN_MALLOC], 1);
	free(f.base);
}

int main(void)
{
	sums();
	heap_and_stack();
	estimates_have_limits();
	names();
	own_share();
	many_threads();
	return done_testing();
}
