/* LDLIBS: -pthread -ldl */
/* attached.c -- a program that notices if it is harmed when a recorder comes or goes: `attached WHAT`.
 *
 *	blocks N	N threads allocate and free as fast as they can, and check their blocks
 *	threads		threads that come, allocate and go
 *	children	children by fork, which allocate, and by vfork and posix_spawn
 *	brief		children by fork, 48 at a time, which live for up to 0.3 s
 *	signals		a handler on an alternate stack interrupts an allocating thread at all times
 *	objects		libraries that are opened and closed
 *
 * A thread allocates beside all of them. Works until its standard input ends; then it prints what it
 * has done and what was wrong, and ends with status 1 if anything was.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/until_input_ends.h"

enum { LIVE = 200, THREADS_MAX = 16, AT_ONCE = 4, BRIEF = 48, CHILD_STATUS = 7 };

extern char **environ;

struct block {
	uint32_t size, seed;
	unsigned char byte[];
};

/* ---- blocks ---------------------------------------------------------------------------------- */

static void fill(struct block *b, uint32_t size, uint32_t seed)
{
	b->size = size;
	b->seed = seed;
	for (uint32_t i = 0; i < size; i += 61)
		b->byte[i] = (unsigned char)(seed + i);
}

static bool is_whole(const struct block *b, uint32_t size)
{
	for (uint32_t i = 0; i < size; i += 61)
		if (b->byte[i] != (unsigned char)(b->seed + i))
			return false;
	return true;
}

static struct block *allocate(unsigned int how, uint32_t size)
{
	void *block = NULL;

	switch (how % 8) {
	case 0:
		return calloc(1, sizeof(struct block) + size);
	case 1:
		return memalign(64, sizeof(struct block) + size);
	case 2:
		return posix_memalign(&block, 128, sizeof(struct block) + size) ? NULL : block;
	default:
		return malloc(sizeof(struct block) + size);
	}
}

static void change(struct block **place, uint64_t random)
{
	const uint32_t size = (uint32_t)(random >> 8) % (random >> 40 & 63 ? 900 : 200000);
	struct block *b = *place;

	if (b && !is_whole(b, b->size))
		bad++;
	if (!b) {
		b = allocate((unsigned int)(random >> 60), size);
	} else if (random >> 62 == 1) {
		uint32_t common = b->size < size ? b->size : size;

		b = realloc(b, sizeof(*b) + size);
		if (b && !is_whole(b, common))
			bad++;
	} else {
		free(b);
		*place = NULL;
		return;
	}
	if (b)
		fill(b, size, (uint32_t)random);
	*place = b;
}

/* The first one leaves the processor to the others. */
static void *work_blocks(void *arg)
{
	struct block *live[LIVE] = { NULL };
	uint64_t random = UINT64_C(88172645463325252) + (uintptr_t)arg;

	while (!must_end) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		change(&live[random % LIVE], random);
		done++;
		if (arg == NULL)
			usleep(500);
	}
	for (int i = 0; i < LIVE; i++)
		free(live[i]);
	return NULL;
}

static void work_a_little(void)
{
	void *block[20];

	for (int turn = 0; turn < 50; turn++) {
		for (int i = 0; i < 20; i++)
			memset(block[i] = malloc(20 * (size_t)turn + 1), i, 20 * (size_t)turn + 1);
		for (int i = 0; i < 20; i++)
			free(block[i]);
	}
}

/* ---- threads, children, signals, objects ------------------------------------------------------- */

static void *return_argument(void *arg)
{
	work_a_little();
	return arg;
}

static void work_threads(void)
{
	pthread_t thread[AT_ONCE];
	void *result;

	for (long i = 0; i < AT_ONCE; i++)
		pthread_create(&thread[i], NULL, return_argument, (void *)i);
	for (long i = 0; i < AT_ONCE; i++) {
		pthread_join(thread[i], &result);
		bad += result != (void *)i;
	}
}

static void await_child(pid_t child)
{
	int status = 0;

	if (child <= 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != CHILD_STATUS)
		bad++;
}

static void work_children(void)
{
	char *const words[] = { "sh", "-c", "exit 7", NULL };
	pid_t child = fork();

	if (child == 0) {
		work_a_little();
		_exit(CHILD_STATUS);
	}
	await_child(child);
	child = vfork();
	if (child == 0) {
		execv("/bin/sh", words);
		_exit(1);
	}
	await_child(child);
	if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) != 0)
		child = 0;
	await_child(child);
}

/* The first ends a little earlier than the second, and so on: at all times one is ending. */
static void work_brief(void)
{
	pid_t child[BRIEF];

	for (unsigned int i = 0; i < BRIEF; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			work_a_little();
			usleep(6000 * i);
			_exit(CHILD_STATUS);
		}
	}
	for (unsigned int i = 0; i < BRIEF; i++)
		await_child(child[i]);
}

static void on_alarm(int number)
{
	for (volatile int i = 0; i < 20000; i++)
		;
}

static void begin_signals(void)
{
	const struct itimerval often = { { 0, 400 }, { 0, 400 } };
	stack_t other = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART | SA_ONSTACK };

	sigaltstack(&other, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void work_objects(void)
{
	void *object = dlopen("libz.so.1", RTLD_NOW);

	if (object)
		dlclose(object);
	work_a_little();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "blocks";
	const int count = argc > 2 ? atoi(argv[2]) : 4;
	void (*work)(void) = strcmp(what, "threads") == 0  ? work_threads :
			     strcmp(what, "children") == 0 ? work_children :
			     strcmp(what, "brief") == 0	   ? work_brief :
			     strcmp(what, "objects") == 0  ? work_objects : work_a_little;
	const pthread_t waiting = begin_awaiting_end();
	pthread_t thread[THREADS_MAX];
	int threads = 0;

	pthread_create(&thread[threads++], NULL, work_blocks, NULL);
	while (strcmp(what, "blocks") == 0 && threads < count && threads < THREADS_MAX) {
		pthread_create(&thread[threads], NULL, work_blocks, (void *)(intptr_t)threads);
		threads++;
	}
	if (strcmp(what, "signals") == 0)
		begin_signals();
	for (; !must_end; done++)
		work();
	while (threads > 0)
		pthread_join(thread[--threads], NULL);
	pthread_join(waiting, NULL);
	return tell_result();
}
