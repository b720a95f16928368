/* on_stack.h -- Runs a function on a given stack, for workloads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>
#include <ucontext.h>

/* run_as_coroutine -- Calls FUNCTION as a coroutine on the stack, and returns with it. */
static inline void run_as_coroutine(void (*function)(void), void *stack, size_t size)
{
	ucontext_t here, there;

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &here;
	makecontext(&there, function, 0);
	swapcontext(&here, &there);
}

/* Volatile: compilers take raise() for a function that calls nothing here. */
static void (*volatile on_stack_function)(void);

static inline void on_stack_handler(int number)
{
	(void)number;
	on_stack_function();
}

/* run_as_handler -- Calls FUNCTION from a signal handler with the stack as its alternate stack.
 * Takes over SIGUSR1. */
static inline void run_as_handler(void (*function)(void), void *stack, size_t size)
{
	stack_t on = { .ss_sp = stack, .ss_size = size }, off = { .ss_flags = SS_DISABLE };
	struct sigaction action = { .sa_handler = on_stack_handler, .sa_flags = SA_ONSTACK };

	on_stack_function = function;
	sigaltstack(&on, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigaltstack(&off, NULL);
}
