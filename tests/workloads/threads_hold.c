/* threads_hold.c -- Threads that hold blocks alike: threads_hold WORKERS. Each worker has a block in a
 * local variable, one in a thread-local variable, and one that a list of all workers leads to as
 * well; three helpers have one each.
 * With each byte of input all workers get one block more; says "ready" after it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKER = 10000, MORE = 4000, LOCAL = 500, LISTED = 3000, HELPER = 7000, HELPERS = 3,
       WORKERS_MOST = 2000, STACK = 65536 };

struct block {
	struct block *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned int steps, done;
static __thread char *volatile own;
static __thread char *volatile listed;
char *list[WORKERS_MOST];

static void wait_for_step(unsigned int step)
{
	pthread_mutex_lock(&lock);
	done++;
	pthread_cond_broadcast(&changed);
	while (steps < step)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) void *work(void *number)
{
	struct block *volatile held = malloc(WORKER + 8 * (size_t)number);

	held->next = NULL;
	own = malloc(LOCAL);
	listed = list[(size_t)number] = malloc(LISTED);
	for (unsigned int step = 1;; step++) {
		struct block *more;

		wait_for_step(step);
		more = malloc(MORE);
		more->next = held->next;
		held->next = more;
	}
	return held;
}

static __attribute__((noinline)) void *help(void *unused)
{
	char *volatile held = malloc(HELPER);

	(void)unused;
	*held = 0;
	wait_for_step(~0u);
	return held;
}

static void wait_for_all(unsigned int count)
{
	pthread_mutex_lock(&lock);
	while (done < count)
		pthread_cond_wait(&changed, &lock);
	done = 0;
	pthread_mutex_unlock(&lock);
}

static void take_step(void)
{
	pthread_mutex_lock(&lock);
	steps++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	const unsigned int workers = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	pthread_attr_t attributes;
	pthread_t thread;
	char byte;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	for (size_t i = 0; i < workers + HELPERS; i++) {
		if (pthread_create(&thread, &attributes, i < workers ? work : help, (void *)i))
			return 1;
	}
	wait_for_all(workers + HELPERS);
	for (;;) {
		if (write(STDOUT_FILENO, "ready\n", 6) != 6 || read(STDIN_FILENO, &byte, 1) != 1)
			_exit(0);
		take_step();
		wait_for_all(workers);
	}
}
