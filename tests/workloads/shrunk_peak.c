/* shrunk_peak.c -- 5 MiB in small() and 100 MiB in large(), which realloc() shrinks to 137 bytes,
 * beside another thread that only waits; then 5 MiB more in small().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile last;

static void *idle(void *unused)
{
	pause();
	return unused;
}

static __attribute__((noinline)) char *allocate_large(void)
{
	return memset(malloc(100 << 20), 1, 100 << 20);
}

static __attribute__((noinline)) void allocate_small(void)
{
	last = malloc(1 << 20);
}

int main(void)
{
	pthread_t thread;
	char *block;

	if (pthread_create(&thread, NULL, idle, NULL) != 0)
		return 1;
	for (int i = 0; i < 5; i++)
		allocate_small();
	block = realloc(allocate_large(), 137);
	for (int i = 0; i < 5; i++)
		allocate_small();
	printf("%d\n", block[136]);
	return 0;
}
