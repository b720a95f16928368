/* LDLIBS: -pthread */
/* quick.c -- calls malloc and free in all the ways that an attached recorder tells apart: from the
 * program and from libc itself, in a signal handler, of no block, of large ones, in two threads.
 *
 * Says "ready", works when it reads a byte, says "done", and ends with the input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "tests/lib/workload.h"

enum { ROUNDS = 1000, KEPT = 10 };

static void *kept[KEPT];

static void on_signal(int number)
{
	free(malloc((size_t)number));
}

/* 5 blocks of 100 bytes, one of 5000, one of 6 by libc, and free(NULL). */
static void work_once(void)
{
	void *volatile block[5];
	char *volatile text;

	for (int i = 0; i < 5; i++)
		block[i] = malloc(100);
	text = strdup("hello");
	free(text);
	for (int i = 0; i < 5; i++)
		free(block[i]);
	free(NULL);
	block[0] = malloc(5000);
	block[0] = realloc(block[0], 6000);
	free(block[0]);
	raise(SIGUSR1); /* one more of 10 */
}

static void *work(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		errno = 77;
		work_once();
		check(errno == 77, "errno is kept");
	}
	return unused;
}

int main(void)
{
	const size_t huge = (size_t)-1 / 4;
	pthread_t thread;
	char byte;

	signal(SIGUSR1, on_signal);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	say("ready");
	if (read(0, &byte, 1) == 1) {
		pthread_create(&thread, NULL, work, NULL);
		work(NULL);
		pthread_join(thread, NULL);
		for (int i = 0; i < KEPT; i++)
			kept[i] = malloc(50);
		check(!malloc(huge), "too much is refused");
		say("done");
	}
	while (read(0, &byte, 1) == 1)
		;
	return 0;
}
