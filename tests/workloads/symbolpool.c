/* symbolpool.c -- a pool in the same file as its callers, so that the compiler knows which
 * registers it leaves alone. Called from threads, recursively, and through an output argument.
 * With an argument its memory is malloc's, else it is static. Prints its truth and a sum that
 * wrong registers would change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((noinline, noclone))
enum { HEADER = 8, ROUNDS = 5000, THREADS = 4, ROOM = 4 << 20 };

static _Alignas(64) char area[THREADS][ROOM];

struct pool {
	char *start;
	size_t used;
	uint64_t *free; /* by its own first word; of 24 bytes */
};

/* Blocks lie 8 bytes apart from 16-byte places: a block of malloc would not. */
API void *pool_alloc(struct pool *p, size_t size)
{
	if (size == 24 && p->free) {
		uint64_t *block = p->free;
		p->free = (uint64_t *)*block;
		return block;
	}
	if (size > 1000) /* recursion: only the outer call is a block */
		return memset(pool_alloc(p, size - 500) ? p->start + p->used : NULL, 0, 1);
	size_t need = (size + HEADER + 7) & -8UL;
	char *block = p->start + p->used + HEADER;
	p->used += need;
	return p->used > ROOM ? NULL : block;
}

API void pool_free(struct pool *p, void *block)
{
	*(uint64_t *)block = (uint64_t)p->free;
	p->free = block;
}

API int pool_get(void **out, struct pool *p, size_t count, size_t each)
{
	*out = pool_alloc(p, count * each);
	return *out ? 0 : -1;
}

API void *pool_grow(struct pool *p, void *old, size_t size)
{
	char *block = pool_alloc(p, size);

	if (block && old)
		memcpy(block, old, 16);
	return block;
}

static pthread_barrier_t barrier;
static struct pool pools[THREADS];

static void *work(void *argument)
{
	struct pool *p = argument;
	uint64_t a = 1, b = 2, c = 3, d = 4, sum = 0;
	double x = 0.5;
	void *out = NULL;

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t *block = pool_alloc(p, 24);
		a += b ^ (uint64_t)i, b = b * 3 + c, c ^= d + a, d += a >> 3;
		x = x * 0.75 + (double)(i & 7);
		block[1] = (uint64_t)i;
		sum += block[1] + a + b + c + d + (uint64_t)(x * 16);
		pool_free(p, block);
	}
	for (int i = 0; i < 100; i++) {
		sum += (uint64_t)pool_get(&out, p, 4, 25);
		out = pool_grow(p, out, 200);
		sum += out == NULL;
	}
	sum += pool_alloc(p, 1200) == NULL;
	return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	void *sum[THREADS];

	(void)argv;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pools[i].start = argc > 1 ? malloc(ROOM) : area[i];
	for (int i = 1; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, &pools[i]);
	sum[0] = work(&pools[0]);
	for (int i = 1; i < THREADS; i++)
		pthread_join(thread[i], &sum[i]);
	printf("sum %zx %zx\n", (size_t)sum[0], (size_t)sum[THREADS - 1]);
	printf("calls pool_alloc %d\n", THREADS * (ROUNDS + 100 + 100 + 2));
	printf("calls pool_free %d\n", THREADS * ROUNDS);
	printf("calls pool_get %d\n", THREADS * 100);
	printf("calls pool_grow %d\n", THREADS * 100);
	if (argc > 1) {
		printf("truth heap total>=%d total<=%d\n", THREADS * ROOM, THREADS * ROOM + 9000);
		return 0;
	}
	printf("truth malloc calls>=%d calls<=%d\n", THREADS * (ROUNDS + 201),
	       THREADS * (ROUNDS + 201) + 9);
	printf("truth 16-31 count>=%d count<=%d\n", THREADS * ROUNDS, THREADS * ROUNDS + 9);
	printf("truth 96-111 count>=%d\n", THREADS * 100);
	printf("truth 192-207 count>=%d\n", THREADS * 100);
	printf("truth 1200-1215 count=%d\n", THREADS);
	printf("truth free calls>=%d\n", THREADS * (ROUNDS + 100));
	printf("truth heap peak>=%d peak<=%d\n", THREADS * (100 * 200 + 1200),
	       THREADS * (100 * 200 + 1200) + 9000 + 16384);
	return 0;
}
