/* batch.c -- many frees in a row, and then something that must know of all of them.
 *
 *	batch HOW ROW	exit|_exit|kill|abort|exec|fork|thread|realloc|handler|again, after ROW frees
 *	batch pause ROW	stands still until its input ends
 *
 * Prints its process ID and what is live then: blocks and bytes of keep(), and calls of free so far.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 200 };

static char *block[BLOCKS];
static int next, frees;
static long live_bytes, live_blocks;

/* Until snapshots by time are some milliseconds apart: before that every event may be one. */
static void begin(void)
{
	for (int i = 0; i < 300; i++) {
		free(malloc(1));
		frees++;
		if (i % 10 == 0)
			usleep(2000);
	}
}

__attribute__((noinline)) static void keep(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		block[i] = malloc((size_t)(1000 + i));
		memset(block[i], 1, 1000);
		live_bytes += 1000 + i;
		live_blocks++;
	}
}

static void drop(int count)
{
	for (int i = 0; i < count && next < BLOCKS; i++, next++) {
		free(block[next]);
		live_bytes -= 1000 + next;
		live_blocks--;
		frees++;
	}
}

/* Without stdio: it has blocks of its own. */
static void say(void)
{
	char text[100];
	int length = snprintf(text, sizeof(text), "%d %ld %ld %d\n", (int)getpid(), live_blocks,
			      live_bytes, frees);

	if (write(1, text, (size_t)length) != length)
		_exit(2);
}

static void *other(void *argument)
{
	drop(20);
	free(malloc(10));
	frees++;
	return argument;
}

static void handler(int number)
{
	(void)number;
	drop(3);
}

static void do_thread(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, other, NULL) != 0)
		_exit(2);
	pthread_join(id, NULL);
	drop(12);
}

/* The child prints nothing: what it has freed is its own business. */
static void do_fork(void)
{
	pid_t child = fork();

	if (child == 0) {
		drop(11);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	drop(1);
}

static void do_realloc(void)
{
	char *grown = realloc(block[next], 5000);

	live_bytes -= 1000 + next;
	live_blocks--;
	next++;
	drop(10);
	free(grown);
	frees++;
	drop(2);
}

static void do_again(void)
{
	for (int i = 0; i < 3; i++) {
		free(malloc(16));
		frees++;
		drop(19);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc == 3 ? argv[1] : "";
	char byte;

	begin();
	keep();
	drop(argc == 3 ? atoi(argv[2]) : 0);
	if (strcmp(how, "thread") == 0)
		do_thread();
	else if (strcmp(how, "fork") == 0)
		do_fork();
	else if (strcmp(how, "realloc") == 0)
		do_realloc();
	else if (strcmp(how, "again") == 0)
		do_again();
	if (strcmp(how, "handler") == 0) {
		signal(SIGUSR1, handler);
		raise(SIGUSR1);
	}
	say();
	if (strcmp(how, "pause") == 0)
		return read(0, &byte, 1) != 0;
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "abort") == 0)
		abort();
	/* Not recorded: it would have the same process ID. */
	if (strcmp(how, "exec") == 0 && unsetenv("LD_PRELOAD") == 0)
		execlp("true", "true", (char *)NULL);
	return 0;
}
