/* attach.c -- threads, one after the other, whose first events are those of a signal handler:
 * `attach COUNT`. At most two threads are there at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "tests/lib/workload.h"

static pthread_t first;

/* The first thread may be in libc's malloc, as the others are not when they begin. */
static void on_alarm(int number)
{
	(void)number;
	if (!pthread_equal(pthread_self(), first))
		free(malloc(300));
}

static void *work(void *alarms)
{
	pthread_sigmask(SIG_BLOCK, alarms, NULL);
	for (int i = 0; i < 10; i++)
		free(malloc(200));
	return NULL;
}

int main(int argc, char **argv)
{
	const struct itimerval often = { .it_interval.tv_usec = 20, .it_value.tv_usec = 20 };
	const struct itimerval never = { .it_value.tv_usec = 0 };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	int count = argc > 1 ? atoi(argv[1]) : 1000;
	sigset_t alarms;

	first = pthread_self();
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	check(!sigaction(SIGALRM, &action, NULL), "handler");
	check(!setitimer(ITIMER_REAL, &often, NULL), "timer");
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		check(!pthread_create(&thread, NULL, work, &alarms), "thread");
		pthread_join(thread, NULL);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	say("truth 192-207 count=%d", 10 * count);
	return 0;
}
