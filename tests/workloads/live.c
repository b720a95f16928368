/* live.c -- does what it is told on its standard input, and answers when it has done it.
 *
 *	alloc COUNT SIZE	that many blocks, kept
 *	free COUNT		the oldest ones
 *	realloc COUNT SIZE	the oldest ones
 *	spike COUNT SIZE	that many times, each freed before the next
 *	threads COUNT		that many, each of which has a block of 1000 bytes and waits
 *	busy [PAUSE [SIZE]]	a thread that allocates and frees SIZE bytes (100) all the time,
 *				PAUSE microseconds after the last
 *	sites COUNT		as many stacks, with a block of 16 bytes each
 *	pauses			"pauses NS": the most CPU time that one malloc and free took since
 *				the last: what else the machine does is not in it
 *
 * Nothing but what is told allocates.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 1 << 20 };

static void *block[BLOCKS];
static size_t first, last;
static _Atomic unsigned long longest;

static unsigned long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (unsigned long)t.tv_sec * 1000000000 + (unsigned long)t.tv_nsec;
}

__attribute__((noinline)) static void keep(size_t size)
{
	block[last++ % BLOCKS] = memset(malloc(size), 1, size);
}

__attribute__((noinline)) static void spike(size_t size)
{
	void *volatile own = malloc(size);

	free(own);
}

static void *hold(void *unused)
{
	void *own = malloc(1000);

	(void)unused;
	pause();
	return own;
}

static unsigned long busy_size = 100, busy_pause;

static void *be_busy(void *unused)
{
	(void)unused;
	for (;;) {
		unsigned long start = now_ns(), took;
		void *volatile own = malloc(busy_size);

		free(own);
		took = now_ns() - start;
		if (took > longest)
			longest = took;
		if (busy_pause)
			usleep((useconds_t)busy_pause);
	}
	return NULL;
}

/* A stack of its own for every path through a binary tree of calls. */
__attribute__((noinline)) static void left(unsigned long path, int depth);

__attribute__((noinline)) static void right(unsigned long path, int depth)
{
	if (depth == 0)
		keep(16);
	else if (path & 1)
		right(path >> 1, depth - 1);
	else
		left(path >> 1, depth - 1);
	__asm__ volatile("");
}

static void left(unsigned long path, int depth)
{
	if (depth == 0)
		keep(16);
	else if (path & 1)
		right(path >> 1, depth - 1);
	else
		left(path >> 1, depth - 1);
	__asm__ volatile("");
}

static void start_thread(void *(*run)(void *))
{
	pthread_t id;

	pthread_create(&id, NULL, run, NULL);
}

static void obey(const char *word, unsigned long count, unsigned long size)
{
	if (strcmp(word, "busy") == 0) {
		busy_pause = count;
		busy_size = size ? size : busy_size;
	}
	if (strcmp(word, "busy") == 0)
		start_thread(be_busy);
	for (unsigned long i = 0; i < count; i++) {
		if (strcmp(word, "alloc") == 0)
			keep(size);
		else if (strcmp(word, "spike") == 0)
			spike(size);
		else if (strcmp(word, "free") == 0)
			free(block[first++ % BLOCKS]);
		else if (strcmp(word, "realloc") == 0)
			block[(first + i) % BLOCKS] = realloc(block[(first + i) % BLOCKS], size);
		else if (strcmp(word, "threads") == 0)
			start_thread(hold);
		else if (strcmp(word, "sites") == 0)
			left(i, 20);
	}
	usleep(strcmp(word, "threads") == 0 ? 20000 : 0);
}

int main(void)
{
	static char line[256], answer[64];
	size_t used = 0;
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1) {
		char word[16] = "";
		unsigned long count = 0, size = 0;

		if (c != '\n' && used < sizeof(line) - 1) {
			line[used++] = c;
			continue;
		}
		line[used] = '\0';
		used = 0;
		sscanf(line, "%15s %lu %lu", word, &count, &size);
		obey(word, count, size);
		if (strcmp(word, "pauses") == 0)
			snprintf(answer, sizeof(answer), "pauses %lu\n",
				 atomic_exchange(&longest, 0));
		else
			snprintf(answer, sizeof(answer), "done\n");
		if (write(STDOUT_FILENO, answer, strlen(answer)) < 0)
			return 1;
	}
	return 0;
}
