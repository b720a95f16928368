/* queued.c -- a program that gets queued signals with values, 1, 2, 3, ..., from a child, and notices if one is
 * lost or comes too early, or if a call of its only thread ends for nothing: `queued [without]`, without signals.
 *
 * Works until its standard input ends; then it says what it has got and what was wrong.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { PAUSE_NS = 5000000 };

static volatile sig_atomic_t last, bad;

static void note(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	bad += info->si_value.sival_int != last + 1;
	last = info->si_value.sival_int;
}

static void send_signals(pid_t to)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (union sigval value = { .sival_int = 1 }; getppid() == to; value.sival_int++) {
		while (sigqueue(to, SIGRTMIN, value) < 0 && errno == EAGAIN)
			nanosleep(&pause, NULL);
		nanosleep(&pause, NULL);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	const struct sigaction noting = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
	struct epoll_event input = { .events = EPOLLIN };
	int before, got, all = epoll_create1(0);
	const pid_t own = getpid();
	char byte = 0;

	check(all >= 0 && epoll_ctl(all, EPOLL_CTL_ADD, STDIN_FILENO, &input) == 0, "epoll");
	sigaction(SIGRTMIN, &noting, NULL);
	(void)argv;
	if (argc < 2 && fork() == 0)
		send_signals(own);
	say("ready");
	do {
		before = last;
		got = epoll_wait(all, &input, 1, -1);
		bad += got < 0 && last == before;
	} while (got < 0 || read(STDIN_FILENO, &byte, 1) > 0);
	say("done=%d bad=%d", (int)last, (int)bad);
	return bad != 0;
}
