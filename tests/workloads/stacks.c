/* stacks.c -- stacks of known depth: at calls, between calls, and where only the kernel sees it.
 *
 *	stacks DEEP		main: malloc at the top, in DEEP bytes of stack, and again at the top
 *	stacks DEEP thread	the same in a thread
 *	stacks DEEP silent	the stack is that deep for a moment, without a call
 *	stacks DEEP samples	... for 200 ms of CPU time, without a call
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <alloca.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static size_t deep;
static const char *how = "";
static void *volatile keep;

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void go_down(void)
{
	volatile char *room = alloca(deep);

	for (size_t i = 0; i < deep; i += 512)
		room[i] = 1;
	if (strcmp(how, "silent") == 0)
		return;
	if (strcmp(how, "samples") == 0) {
		double end = cpu() + 0.2;
		while (cpu() < end)
			room[0]++;
		return;
	}
	keep = malloc(100);
	free(keep);
}

static void *run(void *unused)
{
	(void)unused;
	keep = malloc(50);
	free(keep);
	usleep(5000);
	go_down();
	usleep(5000);
	for (int i = 0; i < 3; i++) {
		keep = malloc(50);
		free(keep);
		usleep(5000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id;

	deep = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000;
	how = argc > 2 ? argv[2] : "";
	if (strcmp(how, "thread") != 0) {
		run(NULL);
		return 0;
	}
	pthread_create(&id, NULL, run, NULL);
	pthread_join(id, NULL);
	return 0;
}
