/* LDLIBS: -pthread */
/* quick.c -- calls malloc and its family in all the ways that an attached recorder tells apart: from
 * the program and from libc itself, in a signal handler, of no block, of large ones, in one thread
 * and in two.
 *
 * Says "ready", works when it reads a byte, says "done", and ends with the input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/lib/workload.h"

enum { ROUNDS = 1000, KEPT = 10 };

static void *kept[KEPT];

static void on_signal(int number)
{
	free(malloc((size_t)number));
}

/* One block each by the other functions: of 150, 110, 120, 130 and 70 bytes. */
static void use_others(void)
{
	void *volatile block[5];
	void *aligned = NULL;

	block[0] = calloc(3, 50);
	block[1] = memalign(64, 110);
	block[2] = aligned_alloc(64, 120);
	check(posix_memalign(&aligned, 128, 130) == 0, "posix_memalign");
	check(posix_memalign(&aligned, 3, 130) == EINVAL, "posix_memalign of no alignment");
	block[3] = aligned;
	block[4] = realloc(NULL, 70);
	for (int i = 0; i < 5; i++) {
		check(block[i] != NULL && (uintptr_t)block[i] % 16 == 0, "a block");
		free(block[i]);
	}
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
	use_others();
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
		work(NULL);
		pthread_create(&thread, NULL, work, NULL);
		work(NULL);
		pthread_join(thread, NULL);
		for (int i = 0; i < KEPT; i++)
			kept[i] = malloc(50);
		check(!malloc(huge), "too much is refused");
		check(!calloc(huge, 8), "... and what has no size");
		kept[0] = realloc(kept[0], huge) ? NULL : kept[0];
		say("done");
	}
	while (read(0, &byte, 1) == 1)
		;
	return 0;
}
