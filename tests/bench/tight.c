/* tight.c -- nothing but malloc and free, in some threads.
 *
 *	tight THREADS EVENTS
 *
 * Each thread keeps 64 blocks of 16 to 1024 bytes and replaces one at a time; EVENTS counts the
 * calls of malloc and free of all threads together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 64, MAX_THREADS = 256 };

static unsigned long pairs;

static void *replace_blocks(void *unused)
{
	void *volatile slot[SLOTS] = { NULL };

	for (unsigned long i = 0; i < pairs; i++) {
		free(slot[i % SLOTS]);
		slot[i % SLOTS] = malloc(16 + i * 48 % 1009);
	}
	for (int i = 0; i < SLOTS; i++)
		free(slot[i]);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread[MAX_THREADS];
	int threads = argc == 3 ? atoi(argv[1]) : 0;

	if (threads < 1 || threads > MAX_THREADS) {
		fputs("usage: tight THREADS EVENTS\n", stderr);
		return 2;
	}
	pairs = strtoul(argv[2], NULL, 10) / 2 / (unsigned long)threads;
	for (int i = 1; i < threads; i++) {
		if (pthread_create(&thread[i], NULL, replace_blocks, NULL) != 0)
			return 1;
	}
	replace_blocks(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
