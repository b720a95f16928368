/* instructions.c -- execute a known number of instructions, in some threads at once.
 *
 *	instructions THREADS MILLIONS [exit|abort]
 *
 * Each thread runs a loop of two instructions, MILLIONS million times, between two blocks of its
 * own. Prints how many instructions the loops were, or ends without exit handlers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST = 64 };

static unsigned long millions;

static void *run(void *unused)
{
	unsigned long left = millions * 1000000;

	free(malloc(100));
#ifdef __x86_64__
	if (left)
		__asm__ volatile("1: dec %0\n\tjne 1b" : "+r"(left));
#endif
	free(malloc(100));
	return unused;
}

static void end(const char *how)
{
	if (strcmp(how, "exit") == 0)
		_exit(0);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	abort();
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread[MOST];

	millions = argc > 2 ? (unsigned long)atol(argv[2]) : 1;
	if (threads < 1 || threads > MOST)
		return 2;
	for (int i = 1; i < threads; i++) {
		if (pthread_create(&thread[i], NULL, run, NULL))
			return 1;
	}
	run(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	if (argc > 3)
		end(argv[3]);
	printf("instructions %lu\n", 2000000 * millions * (unsigned long)threads);
	return 0;
}
