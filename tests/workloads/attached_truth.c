/* LDLIBS: -pthread */
/* attached_truth.c -- knows exactly what it allocates between a recorder's coming and its going.
 *
 * For each line of its standard input threads come, allocate and go, and it prints what they did, and
 * then "done". 12 blocks stay, and the 12 of the line before are freed. At all times other threads
 * come and go, which allocate nothing: also in the moments in which the recorder does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { WAVES = 5, AT_ONCE = 6, LIVE = 40, STEPS = 400, KEPT = 2, SMALL_STACK = 1 << 17 };

struct block {
	void *start;
	size_t size;
	bool is_old; /* of an earlier line */
};

struct worker {
	pthread_t thread;
	uint64_t random;
	struct block kept[KEPT]; /* the next worker of this number frees them */
};

static atomic_bool must_end;
static atomic_ulong mallocs, malloc_bytes, callocs, calloc_bytes, aligned, aligned_bytes, reallocs,
	frees, free_bytes;
static pthread_attr_t small;

static uint64_t next(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static void *allocate(unsigned int how, size_t size)
{
	if (how == 0) {
		callocs++;
		calloc_bytes += size;
		return calloc(1, size);
	}
	if (how == 1) {
		aligned++;
		aligned_bytes += size;
		return memalign(64, size);
	}
	mallocs++;
	malloc_bytes += size;
	return malloc(size);
}

static void release(struct block *b)
{
	if (!b->start)
		return;
	frees++;
	free_bytes += b->is_old ? 0 : b->size;
	free(b->start);
	b->start = NULL;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct block live[LIVE] = { { NULL } };

	for (int i = 0; i < STEPS; i++) {
		const uint64_t r = next(&w->random);
		const size_t size = 1 + (r >> 8) % (r % 64 ? 900 : 200000);
		struct block *b = &live[(r >> 32) % LIVE];

		if (!b->start) {
			*b = (struct block){ allocate(r >> 60 & 7, size), size, false };
		} else if (r >> 60 & 1) {
			reallocs++;
			*b = (struct block){ realloc(b->start, size), size, false };
		} else {
			release(b);
		}
		check(!b->start || memset(b->start, i, 1), "memory");
	}
	for (int i = 0; i < LIVE; i++)
		release(&live[i]);
	for (int i = 0; i < KEPT; i++) {
		const size_t size = 100 + next(&w->random) % 100;

		release(&w->kept[i]);
		w->kept[i] = (struct block){ allocate(2, size), size, false };
	}
	return NULL;
}

static void *do_nothing(void *arg)
{
	return arg;
}

static void *meet(void *barrier)
{
	pthread_barrier_wait(barrier);
	return NULL;
}

/* Has as many threads at once as there will ever be. glibc keeps their stacks: so it allocates
 * nothing for a thread that comes later. */
static void make_stacks(void)
{
	enum { MOST = 2 * AT_ONCE };
	pthread_t thread[MOST];
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, MOST);
	for (int i = 0; i < MOST; i++)
		check(!pthread_create(&thread[i], &small, meet, &barrier), "thread");
	for (int i = 0; i < MOST; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&barrier);
}

static void *come_and_go(void *arg)
{
	while (!must_end) {
		pthread_t thread[AT_ONCE];

		for (int i = 0; i < AT_ONCE; i++)
			check(!pthread_create(&thread[i], &small, do_nothing, NULL), "thread");
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(thread[i], NULL);
	}
	return NULL;
}

static void work_in_waves(struct worker worker[AT_ONCE])
{
	for (int wave = 0; wave < WAVES; wave++) {
		for (int i = 0; i < AT_ONCE; i++)
			check(!pthread_create(&worker[i].thread, &small, work, &worker[i]), "thread");
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(worker[i].thread, NULL);
	}
}

static void tell_truth(struct worker worker[AT_ONCE])
{
	say("truth malloc calls=%lu bytes=%lu", mallocs, malloc_bytes);
	say("truth calloc calls=%lu bytes=%lu", callocs, calloc_bytes);
	say("truth memalign calls=%lu bytes=%lu", aligned, aligned_bytes);
	say("truth realloc calls=%lu", reallocs);
	/* A thread that ends has libc call free(NULL). */
	say("truth free calls>=%lu bytes=%lu", frees, free_bytes);
	say("done");
	mallocs = malloc_bytes = callocs = calloc_bytes = aligned = aligned_bytes = 0;
	reallocs = frees = free_bytes = 0;
	for (int i = 0; i < KEPT * AT_ONCE; i++)
		worker[i / KEPT].kept[i % KEPT].is_old = true;
}

/* Without stdio, which would allocate. */
static bool await_line(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1) {
		if (byte == '\n')
			return true;
	}
	return false;
}

int main(void)
{
	static struct worker worker[AT_ONCE];
	pthread_t churn;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, SMALL_STACK);
	for (int i = 0; i < AT_ONCE; i++)
		worker[i].random = UINT64_C(88172645463325252) + (uint64_t)i;
	make_stacks();
	check(!pthread_create(&churn, NULL, come_and_go, NULL), "thread");
	work_in_waves(worker);
	tell_truth(worker);
	while (await_line()) {
		work_in_waves(worker);
		tell_truth(worker);
	}
	must_end = true;
	pthread_join(churn, NULL);
	return 0;
}
