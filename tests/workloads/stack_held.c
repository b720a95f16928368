/* LDLIBS: -pthread -ldl */
/* stack_held.c -- Lists of which only a local variable of one function knows, in several threads.
 *
 *	stack_held LIBRARY [DEPTH]
 *
 * The main thread and another one have such a list each; a function of LIBRARY, which has the
 * function library_hold(), has a third one while a third thread waits in it. All functions wait
 * until a line comes on standard input, after "ready". With DEPTH the main thread waits below so
 * many calls of a function to itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAIN_LINKS = 100, MAIN_BYTES = 1000, THREAD_LINKS = 50, THREAD_BYTES = 3000 };

struct link {
	struct link *next;
};

typedef size_t hold_fn(void (*wait)(void));

static pthread_barrier_t all_have_lists, may_go;
static hold_fn *library_hold;

__attribute__((noinline)) static struct link *make_list(size_t links, size_t bytes)
{
	struct link *first = NULL;

	for (size_t i = 0; i < links; i++) {
		struct link *l = calloc(1, bytes);

		l->next = first;
		first = l;
	}
	return first;
}

__attribute__((noinline)) static size_t free_list(struct link *first)
{
	size_t links = 0;

	for (struct link *next; first; first = next, links++) {
		next = first->next;
		free(first);
	}
	return links;
}

static void wait_until_told(void)
{
	pthread_barrier_wait(&all_have_lists);
	pthread_barrier_wait(&may_go);
}

static void wait_for_line(void)
{
	char line[16];

	pthread_barrier_wait(&all_have_lists);
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		puts("no line");
	pthread_barrier_wait(&may_go);
}

__attribute__((noinline)) static int wait_deep_below(int depth)
{
	volatile char room[32] = { 1 };

	if (depth > 0)
		return wait_deep_below(depth - 1) + room[0];
	wait_for_line();
	return 0;
}

__attribute__((noinline)) static size_t hold_in_main(int depth)
{
	struct link *list = make_list(MAIN_LINKS, MAIN_BYTES);

	wait_deep_below(depth); /* main waits */
	return free_list(list);
}

static void *hold_in_thread(void *unused)
{
	struct link *list = make_list(THREAD_LINKS, THREAD_BYTES);

	wait_until_told(); /* thread waits */
	return free_list(list) == THREAD_LINKS ? unused : NULL;
}

static void *call_library(void *unused)
{
	return library_hold(wait_until_told) ? unused : NULL;
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	pthread_t thread[2];

	*(void **)&library_hold = library ? dlsym(library, "library_hold") : NULL;
	if (!library_hold)
		return 2;
	pthread_barrier_init(&all_have_lists, NULL, 3);
	pthread_barrier_init(&may_go, NULL, 3);
	pthread_create(&thread[0], NULL, hold_in_thread, NULL);
	pthread_create(&thread[1], NULL, call_library, NULL);
	if (hold_in_main(argc > 2 ? atoi(argv[2]) : 0) != MAIN_LINKS)
		return 1;
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}
