/* unshared.c -- a maker of containers: its children are in a PID namespace of their own, and one of
 * them has there the ID that this process has outside.
 *
 * It says how many blocks it has freed when all of them have ended, and ends with 4; 9 if there can
 * be no namespace.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 300 };

static int freed;

static void use_heap(int count, size_t size)
{
	for (int i = 0; i < count; i++) {
		char *block = malloc(size + (size_t)i);

		if (block)
			*block = 1;
		free(block);
		freed++;
	}
}

static pid_t start_child(int wait_ms)
{
	const struct timespec wait = { .tv_nsec = wait_ms * 1000000L };
	const pid_t child = fork();

	if (child != 0)
		return child;
	use_heap(10, 1234);
	if (wait_ms == 0)
		pause();
	nanosleep(&wait, NULL);
	_exit(3);
}

int main(void)
{
	const struct timespec wait = { .tv_nsec = 10000000 };
	const pid_t own = getpid();
	pid_t first;

	use_heap(200, 10);
	if (own > MOST || unshare(CLONE_NEWPID) < 0)
		return 9;
	first = start_child(0);
	for (int id = 2; id <= own + 3; id++) {
		waitpid(start_child(id >= own - 1 ? 150 : 1), NULL, 0);
		use_heap(10, 10000);
	}
	for (int i = 0; i < 50; i++) {
		use_heap(10, 100000);
		nanosleep(&wait, NULL);
	}
	printf("freed=%d\n", freed - (own + 2) * 10);
	kill(first, SIGKILL);
	waitpid(first, NULL, 0);
	return 4;
}
