/* swelling.c -- grows by known amounts at known functions while a live view looks at it.
 *
 *	swelling STEPS [PAUSE_MS]   in each step put_entry() keeps 3000 bytes and make_name() 100;
 *	                            fill_pool() has kept 50 blocks of 10000 before; odd and even
 *	                            steps call put_entry() from serve_odd() and serve_even()
 *	Prints "step N" after each, on standard output, and "ready" on standard error before the
 *	first. SIGINT ends it with status 5.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile kept;

__attribute__((noinline)) static void fill_pool(void)
{
	for (int i = 0; i < 50; i++)
		kept = memset(malloc(10000), 1, 10000);
}

__attribute__((noinline)) static void put_entry(void)
{
	kept = malloc(3000);
}

/* The assignments keep the compiler from leaving these functions by a jump. */
__attribute__((noinline)) static void serve_odd(void)
{
	put_entry();
	kept = NULL;
}

__attribute__((noinline)) static void serve_even(void)
{
	put_entry();
	kept = NULL;
}

__attribute__((noinline)) static void make_name(void)
{
	kept = malloc(100);
}

static void leave(int signal)
{
	(void)signal;
	_exit(5);
}

int main(int argc, char **argv)
{
	const int steps = argc > 1 ? atoi(argv[1]) : 10, pause_ms = argc > 2 ? atoi(argv[2]) : 200;

	signal(SIGINT, leave);
	fill_pool();
	dprintf(STDERR_FILENO, "ready\n");
	for (int i = 1; i <= steps; i++) {
		usleep((useconds_t)pause_ms * 1000);
		if (i % 2)
			serve_odd();
		else
			serve_even();
		make_name();
		dprintf(STDOUT_FILENO, "step %d\n", i);
	}
	return 0;
}
