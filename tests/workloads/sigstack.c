/* LDLIBS: -Wl,-z,now */
/* sigstack.c -- handlers on a signal stack that just suffices: `sigstack [after]`.
 *
 * With `after` the program takes the stack away again and computes on. Functions are bound at the
 * start, because ld.so saves all vector registers on the stack when it binds one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>

#include "tests/lib/workload.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
enum { HANDLER_ROOM = 1024 };

static volatile unsigned int sum;

/* For so much CPU time of this thread that many timers expire. */
static void compute(int milliseconds)
{
	struct timespec now, end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	end.tv_nsec += milliseconds * 1000000L;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	do {
		for (int i = 0; i < 10000; i++)
			sum++;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec < end.tv_sec ||
		 (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

static void handle(int number)
{
	(void)number;
	compute(200);
}

int main(int argc, char **argv)
{
	unsigned long least = getauxval(AT_MINSIGSTKSZ);
	stack_t stack = { .ss_size = (least ? least : MINSIGSTKSZ) + HANDLER_ROOM };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
	stack_t none = { .ss_flags = SS_DISABLE }, old;

	stack.ss_sp = malloc(stack.ss_size);
	check(!sigaction(SIGUSR1, &action, NULL) && !sigaltstack(&stack, NULL), "stack");
	check(sigaltstack(&none, &old) == 0 && old.ss_sp == stack.ss_sp, "the stack is told");
	check(!sigaltstack(&stack, NULL), "stack");
	raise(SIGUSR1);
	check(!sigaltstack(&none, NULL), "no stack");
	if (argc > 1)
		compute(200);
	free(stack.ss_sp);
	say("done");
	return 0;
}
