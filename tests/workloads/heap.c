/* heap.c -- knows its heap peak and total to the byte: `heap one|many|manpage [SEED]`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/lib/workload.h"

enum { BLOCKS = 2000, OPERATIONS = 100000, THREADS = 8 };

struct heap {
	uint32_t random;
	uint64_t now, peak, total;
	void *block[BLOCKS];
	size_t size[BLOCKS];
};

static pthread_barrier_t barrier;
static struct heap heap[THREADS];

static uint32_t next(struct heap *h)
{
	h->random ^= h->random << 13;
	h->random ^= h->random >> 17;
	h->random ^= h->random << 5;
	return h->random;
}

static void grow(struct heap *h, size_t from, size_t to)
{
	h->now += to - from;
	h->total += to > from ? to - from : 0;
	if (h->now > h->peak)
		h->peak = h->now;
}

static void *allocate(struct heap *h, size_t size)
{
	if (next(h) % 8 == 0)
		return calloc(1, size);
	return next(h) % 8 ? malloc(size) : memalign(64, size);
}

static void step(struct heap *h)
{
	uint32_t i = next(h) % BLOCKS;
	size_t size = next(h) % 50 ? next(h) % 500 : next(h) % 100000;

	if (!h->block[i]) {
		h->block[i] = allocate(h, size);
		grow(h, 0, h->size[i] = size);
	} else if (next(h) % 2) {
		size++;
		h->block[i] = realloc(h->block[i], size);
		grow(h, h->size[i], size);
		h->size[i] = size;
	} else {
		free(h->block[i]);
		h->block[i] = NULL;
		grow(h, h->size[i], 0);
	}
}

static void free_all(struct heap *h)
{
	for (int i = 0; i < BLOCKS; i++)
		free(h->block[i]);
}

static void one(uint32_t seed)
{
	heap[0].random = seed;
	for (int i = 0; i < OPERATIONS; i++)
		step(&heap[0]);
	say("truth heap total=%llu peak=%llu", (unsigned long long)heap[0].total,
	    (unsigned long long)heap[0].peak);
	free_all(&heap[0]);
}

/* At the barrier all threads stand at their peak: each only grows towards it. */
static void *climbs(void *argument)
{
	struct heap *h = argument;

	for (int i = 0; i < BLOCKS; i++) {
		size_t size = next(h) % 3000;
		h->block[i] = allocate(h, size);
		grow(h, 0, size);
	}
	pthread_barrier_wait(&barrier);
	free_all(h);
	return NULL;
}

static void many(uint32_t seed)
{
	pthread_t id[THREADS];
	uint64_t peak = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		heap[i].random = seed + (uint32_t)i;
		pthread_create(&id[i], NULL, climbs, &heap[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(id[i], NULL);
		peak += heap[i].peak;
	}
	/* What libc makes for the threads themselves comes on top. */
	say("truth heap total>=%llu", (unsigned long long)peak);
	say("all threads together: %llu", (unsigned long long)peak);
}

/* The sizes of the example in glibc's manual page memusage(1). */
static void manpage(void)
{
	int j = 0;
	void *p = malloc(400);

	for (int i = 0; i < 20; i++) {
		j = i < 10 ? i : j - 1;
		p = realloc(p, sizeof(int) * (size_t)(j * 50 + 100));
		p = realloc(p, sizeof(int) * (size_t)((j + 1) * 150 + 110));
	}
	free(p);
	say("truth heap total=45200 peak=6440");
	say("truth malloc calls=1 bytes=400");
	say("truth realloc calls=40 bytes=44800");
	say("truth realloc-dec count=19");
	say("truth free calls=1 bytes=440");
}

int main(int argc, char **argv)
{
	uint32_t seed = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;

	if (argc > 1 && !strcmp(argv[1], "one"))
		one(seed);
	else if (argc > 1 && !strcmp(argv[1], "many"))
		many(seed);
	else
		manpage();
	return 0;
}
