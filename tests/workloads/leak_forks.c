/* leak_forks.c -- forks children that lose blocks and end in several ways. `leak_forks N` forks N
 * children that end at the same time, `leak_forks N ask` N children one after the other, while a
 * thread of the parent requests leak checks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/memusage.h"

/* No address stays in a register or on the stack. */
static __attribute__((noinline)) void lose(int count, size_t size)
{
	char room[8192];
	void *volatile lost;

	for (int i = 0; i < count; i++)
		lost = calloc(1, size);
	lost = NULL;
	memset(room, 0, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void by_exit(void)
{
	lose(20, 10);
	exit(3);
}

static void by_immediate_exit(void)
{
	lose(5, 30);
	_exit(4);
}

/* Without a single event. */
static void at_once(void)
{
	_exit(5);
}

static void killed(void)
{
	lose(7, 70);
	kill(getpid(), SIGKILL);
}

static void with_child(void)
{
	lose(3, 11);
	if (fork() == 0)
		by_exit();
	wait(NULL);
	exit(0);
}

static int run_child(void (*run)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		run();
	waitpid(pid, &status, 0);
	return status;
}

static int run_many(int count)
{
	int gate[2], ended = 0, status;
	char byte;

	if (pipe(gate) < 0)
		return 1;
	for (int i = 0; i < count; i++) {
		if (fork() != 0)
			continue;
		close(gate[1]);
		if (read(gate[0], &byte, 1) != 0)
			_exit(1);
		lose(1, 100);
		_exit(0);
	}
	close(gate[0]);
	close(gate[1]);
	while (wait(&status) > 0)
		ended += status == 0;
	printf("%d ended\n", ended);
	return 0;
}

static volatile int has_begun, has_ended;

static void *ask(void *data)
{
	free(malloc(1));
	has_begun = 1;
	while (!has_ended)
		MEMUSAGE_DO_QUICK_LEAK_CHECK();
	return data;
}

static int run_beside_requests(int count)
{
	pthread_t thread;
	int ended = 0;

	if (pthread_create(&thread, NULL, ask, NULL) != 0)
		return 1;
	while (!has_begun) /* its block would be the children's, too */
		sched_yield();
	for (int i = 0; i < count; i++)
		ended += run_child(by_exit) == 3 << 8;
	has_ended = 1;
	pthread_join(thread, NULL);
	printf("%d ended\n", ended);
	return 0;
}

int main(int argc, char **argv)
{
	void (*const all[])(void) = { by_exit, by_immediate_exit, at_once, killed, with_child };

	lose(1, 1000);
	if (argc > 2)
		return run_beside_requests(atoi(argv[1]));
	if (argc > 1)
		return run_many(atoi(argv[1]));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		printf("%d\n", run_child(all[i]));
	return 0;
}
