/* ignore_late.c -- blocks of a library that is opened late, of threads and of a child:
 * `ignore_late LIBRARY`. What is left at the end, in bytes: 15540 by own_give() of the library,
 * 8000 by thread_give() in four threads, 5000 by child_give() in the child alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/workload.h"

void *volatile kept;

static __attribute__((noinline)) void thread_give(void)
{
	kept = malloc(2000);
}

static __attribute__((noinline)) void child_give(void)
{
	kept = malloc(5000);
}

static void *thread(void *unused)
{
	thread_give();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t id[4];

	check(argc == 2, "one argument");
	void *library = dlopen(argv[1], RTLD_NOW);
	check(library != NULL, "dlopen");
	char *(*give)(void) = (char *(*)(void))dlsym(library, "own_give");
	for (int i = 0; i < 20; i++)
		kept = give();
	for (int i = 0; i < 4; i++)
		check(pthread_create(&id[i], NULL, thread, NULL) == 0, "pthread_create");
	for (int i = 0; i < 4; i++)
		pthread_join(id[i], NULL);
	pid_t pid = fork();
	check(pid >= 0, "fork");
	if (pid == 0) {
		child_give();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return 0;
}
