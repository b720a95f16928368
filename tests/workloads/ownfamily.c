/* ownfamily.c -- an allocator in the same file as its callers, so that the compiler knows which
 * registers it leaves alone. Prints its truth and a sum that wrong registers would change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef EXPORT
#define EXPORT __attribute__((visibility("default"), noinline, noclone))
#endif
enum { HEADER = 16, ROUNDS = 20000, THREADS = 4 };

static _Alignas(64) unsigned char pool[64 << 20];
static size_t used;

EXPORT void *malloc(size_t size)
{
	size_t need = (size + HEADER + 15) & -16UL;
	size_t at = __atomic_fetch_add(&used, need, __ATOMIC_RELAXED);

	if (at + need > sizeof(pool))
		return NULL;
	*(size_t *)(pool + at) = size;
	return pool + at + HEADER;
}

EXPORT void free(void *block)
{
	if (block)
		__atomic_fetch_add((size_t *)((char *)block - HEADER) + 1, 1, __ATOMIC_RELAXED);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return malloc(count * size);
}

EXPORT void *realloc(void *block, size_t size)
{
	void *next = malloc(size);
	size_t old = block ? *(size_t *)((char *)block - HEADER) : 0;

	if (next && block)
		memcpy(next, block, old < size ? old : size);
	free(block);
	return next;
}

EXPORT int posix_memalign(void **result, size_t align, size_t size)
{
	*result = malloc(size);
	return *result ? 0 : ENOMEM;
}

static void *work(void *argument)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, sum = 0;
	double x = 0.5;

	for (int i = 0; i < ROUNDS; i++) {
		char *p = malloc(24);
		a += b ^ (uint64_t)i, b = b * 3 + c, c ^= d + a, d += a >> 3;
		x = x * 0.75 + (double)(i & 7);
		p[0] = (char)i;
		p = realloc(p, 40);
		sum += (unsigned char)p[0] + a + b + c + d + (uint64_t)(x * 16);
		free(p);
	}
	*(uint64_t *)argument = sum;
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];
	uint64_t sum[THREADS] = { 0 };
	void *kept[3] = { NULL };

	for (int i = 1; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, &sum[i]);
	work(&sum[0]);
	for (int i = 1; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	kept[0] = calloc(10, 100);
	posix_memalign(&kept[1], 64, 500);
	free(kept[0]);
	free(kept[1]);
	printf("sum %llx %llx\n", (unsigned long long)sum[0], (unsigned long long)sum[3]);
	printf("truth realloc calls=%d\n", ROUNDS * THREADS);
	printf("truth malloc calls>=%d bytes>=%d\n", ROUNDS * THREADS, ROUNDS * THREADS * 24);
	printf("truth free calls>=%d\n", ROUNDS * THREADS + 2);
	printf("truth memalign calls=1 bytes=500\n");
	return 0;
}
