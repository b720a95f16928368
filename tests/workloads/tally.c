/* tally.c -- processes that keep the tally of their blocks in files, until they are killed.
 *
 *	tally DIR
 *
 * Each process has a file DIR/PID.NUMBER of four 64-bit counters: allocations begun, done, frees
 * begun, done. All blocks have 64 bytes. So at any moment between done allocations less begun frees
 * and begun allocations less done frees are live, and that is what a recording must say of it. The
 * first process forks a child that goes on, one that executes this program anew with two threads, and,
 * again and again, children that end. NUMBER is 1 after an exec.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/* LDLIBS: -lpthread */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { SIZE = 64, ROOM = 4096, SHORT = 40 };

struct tally {
	uint64_t allocs_begun, allocs_done, frees_begun, frees_done;
};

static struct tally *tally;
static const char *directory;

static void begin_tally(int number)
{
	char name[256];
	int fd;

	snprintf(name, sizeof(name), "%s/%d.%d", directory, (int)getpid(), number);
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
	check(fd >= 0 && ftruncate(fd, sizeof(*tally)) == 0, "a file");
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(tally != MAP_FAILED, "its mapping");
	close(fd);
}

static void count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

__attribute__((noinline)) static void *take(void)
{
	void *block;

	count(&tally->allocs_begun);
	block = malloc(SIZE);
	count(&tally->allocs_done);
	return block;
}

__attribute__((noinline)) static void give(void *block)
{
	count(&tally->frees_begun);
	free(block);
	count(&tally->frees_done);
}

/* Some blocks stay: the heap grows slowly. */
static void work(unsigned int rounds, unsigned int *seed)
{
	static __thread void *block[ROOM];

	while (rounds-- > 0) {
		void **at = &block[(*seed = *seed * 1103515245 + 12345) / 65536 % ROOM];

		if (*at && *seed % 16 != 0)
			give(*at);
		*at = take();
	}
}

static void *work_for_ever(void *data)
{
	unsigned int seed = (unsigned int)(uintptr_t)data;

	for (;;)
		work(1000, &seed);
	return NULL;
}

static void end_soon(void)
{
	begin_tally(0);
	for (int i = 0; i < SHORT; i++)
		take();
	_exit(0);
}

static void begin_forked_child(void)
{
	if (fork() != 0)
		return;
	begin_tally(0);
	work_for_ever((void *)1);
}

static void begin_executed_child(char *program)
{
	if (fork() != 0)
		return;
	execl(program, program, directory, "executed", (char *)NULL);
	_exit(97);
}

int main(int argc, char **argv)
{
	unsigned int seed = 3;
	pthread_t thread;

	directory = argv[1];
	begin_tally(argc > 2);
	if (argc > 2) {
		check(pthread_create(&thread, NULL, work_for_ever, (void *)2) == 0, "a thread");
		work_for_ever((void *)4);
	}
	begin_forked_child();
	begin_executed_child(argv[0]);
	for (;;) {
		pid_t child = fork();

		if (child == 0)
			end_soon();
		work(2000, &seed);
		waitpid(child, NULL, 0);
	}
}
