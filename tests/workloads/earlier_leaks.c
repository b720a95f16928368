/* LDLIBS: -pthread */
/* earlier_leaks.c -- blocks that hold others, and lost ones, from before a recorder came and since.
 *
 * Before it says "ready": a chain of 20 blocks of 104 bytes, which a variable holds, and 30 lost
 * blocks of 200. When it reads a byte: one block of 300 in each of the chain, and 40 lost blocks of
 * 400. Then it says "done"; with another byte it makes one of 500000, with the input it ends: by
 * _exit, or as its argument says: `orderly` by exit, `return` from main, `thread` by exit in a thread
 * that has done nothing else, `call` by a system call of its own, `killed` by SIGKILL.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "tests/lib/workload.h"

enum { CHAIN = 20, LOST_BEFORE = 30, LOST = 40, STACK = 16384 };

struct link {
	struct link *next;
	void *held;
	char rest[88];
};

static struct link *chain;
static void *large;

/* Old words of stacks and registers must hold nothing. */
static __attribute__((noinline)) void clear_stack(void)
{
	volatile char area[STACK];

	for (size_t i = 0; i < sizeof(area); i++)
		area[i] = 0;
}

static __attribute__((noinline)) void lose(int count, size_t size)
{
	void *volatile block;

	for (int i = 0; i < count; i++)
		block = memset(malloc(size), 0, size);
	block = NULL;
	(void)block;
}

static __attribute__((noinline)) void make_chain(void)
{
	for (int i = 0; i < CHAIN; i++) {
		struct link *more = calloc(1, sizeof(*more));

		more->next = chain;
		chain = more;
	}
}

static __attribute__((noinline)) void hold_more(void)
{
	for (struct link *one = chain; one; one = one->next)
		one->held = memset(malloc(300), 0, 300);
}

static void *exit_in_thread(void *unused)
{
	(void)unused;
	exit(0);
}

static void end(const char *how)
{
	pthread_t thread;

	if (strcmp(how, "orderly") == 0)
		exit(0);
	if (strcmp(how, "call") == 0)
		syscall(SYS_exit_group, 0);
	if (strcmp(how, "killed") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "thread") == 0 && !pthread_create(&thread, NULL, exit_in_thread, NULL))
		pthread_join(thread, NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "at once";
	char byte;

	make_chain();
	lose(LOST_BEFORE, 200);
	clear_stack();
	say("ready");
	if (read(0, &byte, 1) == 1) {
		hold_more();
		lose(LOST, 400);
		clear_stack();
		say("done");
	}
	while (read(0, &byte, 1) == 1)
		large = large ? large : malloc(500000);
	if (strcmp(how, "return") != 0)
		end(how);
	return 0;
}
