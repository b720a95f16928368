/* symbolfamily.c -- a small allocator under jemalloc's prefixed names, on memory of mmap, or with
 * an argument on malloc's. Prints its truth.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef PREFIX
#define PREFIX je_
#endif
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define F(name) JOIN(PREFIX, name)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)
#define API __attribute__((noinline, noclone))
enum { HEADER = 16, ROUNDS = 5000, THREADS = 3, ROOM = 16 << 20 };

static char *pool;
static size_t used;

API void *F(malloc)(size_t size)
{
	size_t need = (size + HEADER + 15) & -16UL;
	if (size >= ROOM)
		return NULL;
	size_t at = __atomic_fetch_add(&used, need, __ATOMIC_RELAXED);

	if (at + need > ROOM)
		return NULL;
	*(size_t *)(pool + at) = size;
	return pool + at + HEADER;
}

API void F(free)(void *block)
{
	if (block)
		__atomic_fetch_add((size_t *)((char *)block - HEADER) + 1, 1, __ATOMIC_RELAXED);
}

API void *F(calloc)(size_t count, size_t size)
{
	void *block = F(malloc)(count * size);

	return block ? memset(block, 0, count * size) : NULL;
}

API void *F(realloc)(void *block, size_t size)
{
	if (block && *(size_t *)((char *)block - HEADER) >= size)
		return block;
	void *next = F(malloc)(size);
	if (next && block)
		memcpy(next, block, *(size_t *)((char *)block - HEADER));
	if (next)
		F(free)(block);
	return next;
}

API int F(posix_memalign)(void **result, size_t align, size_t size)
{
	if (align > 16)
		return EINVAL;
	*result = F(malloc)(size);
	return *result ? 0 : ENOMEM;
}

static void *work(void *argument)
{
	uint64_t sum = 0;
	void *block = NULL;

	(void)argument;
	for (int i = 0; i < ROUNDS; i++) {
		char *p = F(malloc)(40);
		p[0] = (char)i;
		p = F(realloc)(p, 100);
		sum += (unsigned char)p[0];
		F(free)(p);
	}
	F(free)(F(calloc)(10, 70));
	sum += (uint64_t)F(posix_memalign)(&block, 4096, 100);
	F(free)(block);
	sum += (uint64_t)F(posix_memalign)(&block, 16, 500);
	F(free)(block);
	F(free)(NULL);
	sum += F(malloc)(ROOM) != NULL;
	return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	void *sum[THREADS];

	(void)argv;
	pool = argc > 1 ? malloc(ROOM)
			: mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 1; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	sum[0] = work(NULL);
	for (int i = 1; i < THREADS; i++)
		pthread_join(thread[i], &sum[i]);
	printf("sum %zx\n", (size_t)sum[0]);
	printf("calls " TEXT(PREFIX) "realloc %d\n", THREADS * ROUNDS);
	printf("calls " TEXT(PREFIX) "calloc %d\n", THREADS);
	printf("calls " TEXT(PREFIX) "posix_memalign %d\n", THREADS * 2);
	if (argc > 1) {
		/* What failed is in the total, as it is for malloc. */
		printf("truth heap total>=%d total<=%d peak<=%d\n", ROOM * (1 + THREADS),
		       ROOM * (1 + THREADS) + 9000, ROOM + 9000);
		printf("truth realloc calls=0\n");
		return 0;
	}
	printf("truth malloc calls>=%d calls<=%d failed=%d\n", THREADS * (ROUNDS + 1),
	       THREADS * (ROUNDS + 1) + 9, THREADS);
	printf("truth realloc calls=%d bytes=%d failed=0\n", THREADS * ROUNDS,
	       THREADS * ROUNDS * 60);
	printf("truth calloc calls>=%d bytes>=%d\n", THREADS, THREADS * 700);
	printf("truth memalign calls=%d bytes=%d failed=%d\n", THREADS * 2, THREADS * 600, THREADS);
	printf("truth free calls>=%d bytes>=%d\n", THREADS * (ROUNDS + 3),
	       THREADS * (ROUNDS * 100 + 1200));
	return 0;
}
