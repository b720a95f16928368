/* sigprof.c -- a program that uses SIGPROF, or only asks for it: `sigprof HOW`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "tests/lib/workload.h"

static volatile sig_atomic_t hits;

static void count(int number)
{
	(void)number;
	hits++;
}

/* CPU time and events, so that the recorder samples. */
static void burn(int ms)
{
	clock_t end = clock() + (clock_t)ms * CLOCKS_PER_SEC / 1000;

	while (clock() < end)
		free(malloc(100));
}

static const char *name_of(void (*handler)(int))
{
	return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignored" :
	       handler == count ? "ours" : "foreign";
}

static void tell(const char *when)
{
	struct sigaction now;
	struct itimerval timer;

	sigaction(SIGPROF, NULL, &now);
	getitimer(ITIMER_PROF, &timer);
	say("%s: %s, flags %x, timer %s", when, name_of(now.sa_handler),
	    (unsigned int)now.sa_flags & ~0x04000000u,
	    timer.it_interval.tv_usec || timer.it_value.tv_usec ? "on" : "off");
}

static void query(void)
{
	tell("at first");
	burn(30);
	tell("later");
}

/* Its own handler, and no timer: it must never be called. */
static void by_signal(void)
{
	burn(20);
	say("was %s", name_of(signal(SIGPROF, count)));
	burn(50);
	tell("then");
	raise(SIGPROF);
	say("called %d times", (int)hits);
	say("was %s", name_of(signal(SIGPROF, SIG_DFL)));
	burn(50);
	tell("at last");
}

static void by_sigaction(void)
{
	struct sigaction ours = { .sa_handler = count, .sa_flags = SA_RESTART };
	struct sigaction old;

	burn(20);
	sigaction(SIGPROF, &ours, &old);
	say("was %s", name_of(old.sa_handler));
	burn(50);
	raise(SIGPROF);
	say("called %d times", (int)hits);
	sigaction(SIGPROF, &old, &ours);
	say("was %s", name_of(ours.sa_handler));
	burn(50);
}

/* Its own profiler: signals come, of that timer alone. */
static void by_itimer(void)
{
	struct itimerval timer = { { 0, 10000 }, { 0, 10000 } };
	struct itimerval off = { { 0, 0 }, { 0, 0 } };
	int before;

	signal(SIGPROF, count);
	setitimer(ITIMER_PROF, &timer, NULL);
	burn(200);
	tell("on");
	setitimer(ITIMER_PROF, &off, NULL);
	before = hits;
	/* The kernel's ticks are coarse; 4 ms samples of ours would be 50 more. */
	say("about 20: %d", before >= 2 && before <= 45);
	burn(50);
	say("then no more: %d", hits - before);
}

/* Nobody handles it: the program dies of it. */
static void deadly_timer(void)
{
	struct itimerval timer = { { 0, 0 }, { 0, 20000 } };

	burn(20);
	setitimer(ITIMER_PROF, &timer, NULL);
	burn(2000);
}

static void deadly_raise(void)
{
	burn(20);
	raise(SIGPROF);
}

static void *deadly_thread(void *unused)
{
	burn(20);
	pthread_kill(pthread_self(), SIGPROF);
	return unused;
}

static void deadly_in_thread(void)
{
	pthread_t id;

	pthread_create(&id, NULL, deadly_thread, NULL);
	pthread_join(id, NULL);
}

/* Blocked: never pending, and it does not survive exec. */
static void blocked(void)
{
	sigset_t set, pending;
	struct timespec no_time = { 0, 0 };

	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	sigprocmask(SIG_BLOCK, &set, NULL);
	burn(50);
	sigpending(&pending);
	say("pending %d", sigismember(&pending, SIGPROF));
	say("waited for %d", sigtimedwait(&set, NULL, &no_time));
	burn(50);
	execl("/proc/self/exe", "sigprof", "unblock", (char *)NULL);
}

static void unblock(void)
{
	sigset_t set;

	sigfillset(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	say("still alive");
	burn(20);
}

static void use_stack(int kilobytes)
{
	volatile char room[1000];
	clock_t end = clock() + CLOCKS_PER_SEC / 20;

	memset((char *)room, kilobytes, sizeof(room));
	if (kilobytes > 1)
		use_stack(kilobytes - 1);
	else
		while (clock() < end)
			;
	room[0] = room[1];
}

/* A megabyte of stack, and not one event while it is in use. */
static void deep(void)
{
	free(malloc(100));
	use_stack(1000);
	free(malloc(100));
}

/* System calls that are slow are not interrupted. */
static void sleeps(void)
{
	struct timespec a_while = { 0, 30000000 };

	burn(30);
	say("slept %d", nanosleep(&a_while, NULL));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} way[] = {
		{ "query", query },
		{ "signal", by_signal },
		{ "sigaction", by_sigaction },
		{ "itimer", by_itimer },
		{ "deadly-timer", deadly_timer },
		{ "deadly-raise", deadly_raise },
		{ "deadly-thread", deadly_in_thread },
		{ "blocked", blocked },
		{ "unblock", unblock },
		{ "sleeps", sleeps },
		{ "deep", deep },
	};

	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (argc > 1 && !strcmp(argv[1], way[i].name))
			way[i].run();
	return 0;
}
