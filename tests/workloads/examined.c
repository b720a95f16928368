/* LDLIBS: -lm -pthread */
/* examined.c -- a program that notices if an examiner disturbs it: it waits in calls that a stop
 * may end, computes in all registers, allocates in threads, and counts signals and children.
 *
 * Prints "ready", works until its standard input ends, and then what it noticed, one "name=value"
 * for each: all values are 0 if nothing did.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_bool must_end;
static atomic_int interrupted, wrong, children, signals;
static int ends[2]; /* a pipe that becomes readable at the end */

static void on_signal(int number)
{
	signals++;
}

/* ---- calls that wait -------------------------------------------------------------------------- */

static void note_result(long result, const char *name)
{
	if (result < 0 && errno == EINTR) {
		interrupted++;
		fprintf(stderr, "%s: interrupted\n", name);
	}
}

static void *wait_epoll(void *arg)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(0);

	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	while (!must_end)
		note_result(epoll_wait(epoll, &event, 1, -1), "epoll_wait");
	return NULL;
}

static void *wait_poll(void *arg)
{
	struct pollfd p = { .fd = ends[0], .events = POLLIN };

	while (!must_end)
		note_result(poll(&p, 1, -1), "poll");
	return NULL;
}

static void *wait_sleep(void *arg)
{
	const struct timespec time = { .tv_nsec = 300000000 };

	while (!must_end)
		note_result(nanosleep(&time, NULL), "nanosleep");
	return NULL;
}

static void *wait_semaphore(void *arg)
{
	int set = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf down = { .sem_op = -1 };
	const struct timespec time = { .tv_nsec = 500000000 };

	while (!must_end)
		if (semtimedop(set, &down, 1, &time) < 0 && errno != EAGAIN)
			note_result(-1, "semtimedop");
	semctl(set, 0, IPC_RMID);
	return NULL;
}

static void *wait_receive(void *arg)
{
	struct timeval limit = { .tv_usec = 400000 };
	int pair[2];
	char byte;

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	while (!must_end)
		if (recv(pair[0], &byte, 1, 0) < 0 && errno != EAGAIN)
			note_result(-1, "recv");
	return NULL;
}

static void *wait_signal(void *arg)
{
	const struct timespec time = { .tv_nsec = 350000000 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	while (!must_end)
		if (sigtimedwait(&set, NULL, &time) < 0 && errno != EAGAIN)
			note_result(-1, "sigtimedwait");
	return NULL;
}

/* ---- work --------------------------------------------------------------------------------------- */

/* The same sum each time, in vector registers and all others. */
static double compute(void)
{
	double sum[8] = { 0 };

	for (int i = 1; i < 20000; i++)
		for (int k = 0; k < 8; k++)
			sum[k] += sqrt((double)(i + k)) / (double)(k + 1);
	return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

static void *work_numbers(void *arg)
{
	const double right = compute();

	while (!must_end)
		if (compute() != right)
			wrong++;
	return NULL;
}

struct block {
	struct block *next;
	uint64_t number, twice;
};

static void *work_blocks(void *arg)
{
	struct block *first = NULL;
	uint64_t count = 0;

	while (!must_end) {
		struct block *b = malloc(sizeof(*b) + count % 100);

		*b = (struct block){ first, count, 2 * count };
		first = realloc(b, sizeof(*b) + 200);
		if (++count % 50 != 0)
			continue;
		while (first) {
			b = first;
			first = b->next;
			wrong += b->twice != 2 * b->number;
			free(b);
		}
	}
	return NULL;
}

/* Without glibc's fork(), which blocks all signals for its while: the end of a child in that moment
 * wakes another thread, also of a process that nobody examines. */
static pid_t begin_child(unsigned int number)
{
	const struct timespec life = { .tv_nsec = number * 7919 % 4000 * 1000 };
	pid_t child = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);

	if (child == 0) {
		syscall(SYS_nanosleep, &life, NULL);
		syscall(SYS_exit_group, 7L);
	}
	return child;
}

/* Its own children are there, and no other. Their ends are signalled to this thread at all times:
 * no other may be woken for that. */
static void *work_children(void *arg)
{
	enum { AT_ONCE = 20 };
	pid_t child[AT_ONCE] = { 0 }, ended;
	unsigned int begun = 0;
	int status;

	while (!must_end) {
		for (int i = 0; i < AT_ONCE; i++)
			child[i] = child[i] ? child[i] : begin_child(begun++);
		ended = waitpid(-1, &status, 0);
		for (int i = 0; i < AT_ONCE; i++)
			if (child[i] == ended) {
				child[i] = 0;
				ended = 0;
			}
		if (ended != 0 || WEXITSTATUS(status) != 7)
			children++;
	}
	for (int i = 0; i < AT_ONCE; i++)
		if (child[i] > 0 && (waitpid(child[i], &status, 0) != child[i] ||
				     WEXITSTATUS(status) != 7))
			children++;
	if (waitpid(-1, &status, WNOHANG) >= 0 || errno != ECHILD)
		children++;
	return NULL;
}

int main(int argc, char **argv)
{
	static void *(*const all[])(void *) = {
		wait_epoll, wait_poll, wait_sleep, wait_semaphore, wait_receive, wait_signal,
		work_numbers, work_blocks, work_blocks, work_children,
	};
	enum { THREADS = sizeof(all) / sizeof(*all) };
	pthread_t thread[THREADS];
	char byte;

	for (int i = 1; i < 32; i++)
		if (i != SIGKILL && i != SIGSTOP && i != SIGCHLD && i != SIGSEGV && i != SIGILL &&
		    i != SIGBUS && i != SIGFPE && i != SIGTRAP && i != SIGABRT && i != SIGTERM)
			signal(i, on_signal);
	if (pipe(ends) < 0)
		return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, all[i], NULL);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	must_end = true;
	if (write(ends[1], "x", 1) != 1)
		return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("interrupted=%d wrong=%d children=%d signals=%d\n", interrupted, wrong, children,
	       signals);
	return 0;
}
