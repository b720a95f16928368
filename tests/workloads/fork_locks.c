/* fork_locks.c -- forks while another thread holds a lock of libc or ld.so: `fork_locks HOW COUNT
 * [HUNG]`.
 *
 * libc frees most of its locks in a child, but not these. So a child hangs in which such a lock was
 * held at the fork. The thread that takes the lock here holds it for some microseconds, once in a
 * while: alone, hardly a child hangs. Each child takes the lock and ends. Says how many children
 * there were, and how many hung; stops after HUNG of those (default 1).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/* LDLIBS: -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/lib/fork_work.h"
#include "tests/lib/workload.h"

/* OWN blocks make an image that takes a while to copy. A child that needs PATIENCE seconds hangs. */
enum { OWN = 20000, PATIENCE = 20, PAUSE = 2000000 /* ns, at most, between two uses of the lock */ };

static void *own[OWN];
static volatile bool stop;
static char plain[4096]; /* path of a shared object */
static int children, hung, most_hung = 1;

/* ---- what takes a lock and allocates under it ---------------------------------------------- */

static int visit(struct dl_phdr_info *info, size_t size, void *calls)
{
	(void)info, (void)size;
	for (int i = 0; i < *(int *)calls; i++)
		free(malloc(100));
	return 1;
}

/* ld.so's lock for its list, with calls of the program under it. */
static void iterate(int calls)
{
	dl_iterate_phdr(visit, &calls);
}

/* The lock of the environment: libc keeps each value for ever. */
static void set_variable(int calls)
{
	static unsigned int number;
	char value[40];

	(void)calls;
	snprintf(value, sizeof(value), "%u", number++);
	setenv("FORK_LOCKS", value, 1);
}

static void set_locale(int calls)
{
	static unsigned int number;

	(void)calls;
	setlocale(LC_ALL, number++ & 1 ? "C.UTF-8" : "C");
}

static void set_zone(int calls)
{
	static char zones[][12] = { "TZ=UTC", "TZ=CET-1CEST" };
	static unsigned int number;

	(void)calls;
	putenv(zones[number++ & 1]);
	tzset();
}

/* ---- the fork ------------------------------------------------------------------------------ */

static void wait_for(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

static void count_status(pid_t pid)
{
	int status = -1;

	wait_for(pid, &status);
	children++;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		hung++;
	else
		check(pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status), "a child's status");
}

static pid_t fork_user(void (*use)(int))
{
	pid_t pid = fork();

	if (!pid) {
		alarm(PATIENCE);
		use(0);
		child_work();
		_exit(0);
	}
	return pid;
}

static void wait_some(unsigned int *seed)
{
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += rand_r(seed) % PAUSE;
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec);
}

static void *use_again(void *use)
{
	unsigned int seed = 1;

	while (!stop) {
		((void (*)(int))use)(1);
		wait_some(&seed);
	}
	return NULL;
}

static void fork_beside(void (*use)(int), int count)
{
	unsigned int seed = 2;
	pthread_t thread;

	check(!pthread_create(&thread, NULL, use_again, (void *)use), "pthread_create");
	while (count-- > 0 && hung < most_hung) {
		wait_some(&seed);
		count_status(fork_user(use));
	}
	stop = true;
	pthread_join(thread, NULL);
}

/* ---- a fork within a callback, and beside one that waits for it ------------------------------ */

static pthread_barrier_t inside, forked;

static int visit_during_fork(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info, (void)size, (void)unused;
	free(malloc(100));
	pthread_barrier_wait(&inside);
	pthread_barrier_wait(&forked);
	return 1;
}

static void *iterate_during_fork(void *count)
{
	for (int i = *(int *)count; i > 0; i--)
		dl_iterate_phdr(visit_during_fork, NULL);
	return NULL;
}

static int visit_and_fork(struct dl_phdr_info *info, size_t size, void *pid)
{
	(void)info, (void)size;
	*(pid_t *)pid = fork_user(iterate);
	return 1;
}

/* Alone, each child hangs. */
static void fork_inside(int count)
{
	pthread_t thread;
	pid_t pid = 0;

	pthread_barrier_init(&inside, NULL, 2);
	pthread_barrier_init(&forked, NULL, 2);
	check(!pthread_create(&thread, NULL, iterate_during_fork, &count), "pthread_create");
	for (int i = 0; i < count; i++) {
		pthread_barrier_wait(&inside);
		pid = fork_user(iterate);
		pthread_barrier_wait(&forked);
		count_status(pid);
	}
	pthread_join(thread, NULL);
	dl_iterate_phdr(visit_and_fork, &pid);
	count_status(pid);
}

/* ---- the first dlopen() of a process -------------------------------------------------------- */

static pthread_barrier_t barrier;

static void *open_first(void *unused)
{
	pthread_barrier_wait(&barrier);
	check(dlopen(plain, RTLD_NOW) != NULL, "dlopen");
	return unused;
}

static void _Noreturn fork_and_open(int turns)
{
	int status = -1;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	check(!pthread_create(&thread, NULL, open_first, NULL), "pthread_create");
	pthread_barrier_wait(&barrier);
	for (volatile int i = 0; i < turns; i++)
		;
	wait_for(fork_user(iterate), &status);
	if (WIFSIGNALED(status))
		raise(WTERMSIG(status));
	_exit(WEXITSTATUS(status));
}

/* Each time in a process of its own. */
static void fork_at_first_open(int count)
{
	for (int i = 0; i < count && hung < most_hung; i++) {
		pid_t pid = fork();

		if (!pid)
			fork_and_open(i * 40);
		count_status(pid);
	}
}

static void find_plain(void)
{
	char path[2048];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	check(length > 0, "readlink");
	path[length] = '\0';
	snprintf(plain, sizeof(plain), "%s/libplain.so", dirname(path));
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 100;

	check(argc > 1, "an argument");
	if (argc > 3)
		most_hung = atoi(argv[3]);
	find_plain();
	make_own(own, OWN);
	if (!strcmp(argv[1], "first"))
		fork_at_first_open(count);
	if (!strcmp(argv[1], "iterate"))
		fork_beside(iterate, count);
	if (!strcmp(argv[1], "inside"))
		fork_inside(count);
	if (!strcmp(argv[1], "setenv"))
		fork_beside(set_variable, count);
	if (!strcmp(argv[1], "setlocale"))
		fork_beside(set_locale, count);
	if (!strcmp(argv[1], "tzset"))
		fork_beside(set_zone, count);
	say("children=%d hung=%d", children, hung);
	return 0;
}
