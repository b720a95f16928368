/* signals.c -- allocations in signal handlers, on other stacks and past longjmp.
 *
 * `signals storm` and `signals jump` interrupt malloc itself: they need a malloc that can
 * stand it (libbump.so), as libc's cannot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

#include "tests/lib/workload.h"

enum { HITS = 2000, SIZE = 5000 };

static volatile sig_atomic_t hits;
static volatile bool safe; /* main is not inside malloc */
static sigjmp_buf out;

static void every_us(int us)
{
	struct itimerval timer = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

static void on_alarm(int number)
{
	(void)number;
	free(malloc(SIZE));
	hits++;
}

static void on_alarm_if_safe(int number)
{
	if (safe)
		on_alarm(number);
}

/* Handlers interrupt main in its own code only, as POSIX wants it. */
static void polite(void)
{
	volatile unsigned int spin;

	handle(SIGALRM, on_alarm_if_safe, SA_RESTART);
	every_us(50);
	while (hits < HITS) {
		free(malloc(100));
		safe = true;
		for (spin = 0; spin < 2000; spin++)
			;
		safe = false;
	}
	every_us(0);
	say("truth 4992-5007 count>=%d", HITS);
}

/* Handlers interrupt malloc and the recorder anywhere. */
static void storm(void)
{
	unsigned int own = 0;

	handle(SIGALRM, on_alarm, SA_RESTART);
	every_us(20);
	while (hits < HITS) {
		free(malloc(100));
		own++;
	}
	every_us(0);
	say("made %u", own + (unsigned int)hits);
}

static void deep(int depth)
{
	volatile char room[1000];

	memset((char *)room, depth, sizeof(room));
	if (depth)
		deep(depth - 1);
	else
		on_alarm(0);
	room[1] = room[0];
}

static void jump_out(int number)
{
	(void)number;
	hits++;
	siglongjmp(out, 1);
}

/* Handlers leave malloc and the recorder by longjmp. What comes after is recorded. */
static void jump(void)
{
	handle(SIGALRM, jump_out, SA_RESTART);
	sigsetjmp(out, 1);
	if (hits < HITS) {
		every_us(20);
		for (;;)
			free(malloc(100));
	}
	every_us(0);
	for (int i = 0; i < 1000; i++)
		free(malloc(SIZE));
	say("truth 4992-5007 count>=1000");
}

/* The same; but what comes after is deeper in the stack than what was interrupted. */
static void jump_deep(void)
{
	handle(SIGALRM, jump_out, SA_RESTART);
	sigsetjmp(out, 1);
	if (hits < 20) {
		every_us(20);
		for (;;)
			free(malloc(100));
	}
	every_us(0);
	for (int i = 0; i < 1000; i++)
		deep(10);
	say("truth 4992-5007 count>=990");
}

static void on_other_stack(int number)
{
	(void)number;
	deep(40);
}

/* A handler on a stack of its own, high above or below the main one. */
static void altstack(void)
{
	static char stack[200000];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	sigaltstack(&alternate, NULL);
	handle(SIGUSR1, on_other_stack, SA_ONSTACK);
	deep(10);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	say("truth 4992-5007 count=11");
	say("truth stack peak>=10000 peak<=30000");
}

static ucontext_t here, there;

static void coroutine(void)
{
	for (;;) {
		deep(30);
		swapcontext(&there, &here);
	}
}

static void coroutines(void)
{
	char *stack = malloc(100000);

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = 100000;
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	for (int i = 0; i < 100; i++) {
		swapcontext(&here, &there);
		on_alarm(0);
	}
	deep(10);
	free(stack);
	say("truth 4992-5007 count=201");
	say("truth stack peak>=10000 peak<=30000");
}

static void *one_altstack(void *unused)
{
	altstack();
	return unused;
}

/* The same on the stack of a thread, whose alternate stack is the program's data. */
static void thread_altstack(void)
{
	pthread_t id;

	pthread_create(&id, NULL, one_altstack, NULL);
	pthread_join(id, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} way[] = {
		{ "polite", polite },	  { "storm", storm },
		{ "jump", jump },	  { "jump-deep", jump_deep },
		{ "altstack", altstack },
		{ "coroutines", coroutines }, { "thread-altstack", thread_altstack },
	};

	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (argc > 1 && !strcmp(argv[1], way[i].name))
			way[i].run();
	return 0;
}
