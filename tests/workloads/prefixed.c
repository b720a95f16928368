/* prefixed.c -- calls of an allocator whose functions have a prefix, -DPREFIX=je_, in two threads.
 *
 * With -DLIBRARY without main. Prints what it did, within what its libraries may add.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifndef PREFIX
#define PREFIX
#endif
#define JOIN_NOW(a, b) a##b
#define JOIN(a, b) JOIN_NOW(a, b)
#define F(name) JOIN(PREFIX, name)

void *F(malloc)(size_t);
void F(free)(void *);
void *F(calloc)(size_t, size_t);
void *F(realloc)(void *, size_t);
int F(posix_memalign)(void **, size_t, size_t);

static void *work(void *unused)
{
	char *p[500];

	for (int k = 0; k < 10; k++) {
		for (int i = 0; i < 500; i++)
			memset(p[i] = F(malloc)((size_t)(2 * i + 1)), 1, (size_t)(2 * i + 1));
		for (int i = 0; i < 500; i++)
			memset(p[i] = F(realloc)(p[i], 3000), 2, 3000);
		for (int i = 0; i < 500; i++)
			F(free)(p[i]);
	}
	for (int i = 0; i < 100; i++)
		F(free)(F(calloc)(10, (size_t)(i + 1)));
	if (!F(posix_memalign)((void **)p, 64, 5000))
		F(free)(p[0]);
	return unused;
}

static void truths(int times)
{
	printf("truth malloc calls>=%d bytes>=%d calls<=%d\n", 5000 * times, 2500000 * times,
	       5050 * times);
	printf("truth realloc calls=%d bytes=%d\n", 5000 * times,
	       10 * (500 * 3000 - 250000) * times);
	printf("truth calloc calls>=%d calls<=%d\n", 100 * times, 110 * times);
	printf("truth memalign calls=%d bytes=%d\n", times, 5000 * times);
	printf("truth free calls>=%d calls<=%d\n", 5101 * times, 5150 * times);
}

#ifndef LIBRARY
int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	truths(2);
	return 0;
}
#endif
