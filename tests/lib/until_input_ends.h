/* until_input_ends.h -- what a workload shares that works until its standard input ends, and then
 * tells what it has done and what was wrong. Needs -pthread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "tests/lib/workload.h"

static atomic_bool must_end;
static atomic_ulong done, bad;

static inline void *await_end(void *unused)
{
	char byte;
	sigset_t all;

	(void)unused;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	say("ready");
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	must_end = true;
	return NULL;
}

/* begin_awaiting_end -- Says "ready"; sets must_end when the input ends, in a thread of its own, which
 * gets no signals. */
static inline pthread_t begin_awaiting_end(void)
{
	pthread_t thread;

	check(!pthread_create(&thread, NULL, await_end, NULL), "thread");
	return thread;
}

/* tell_result -- Says what was done and what was wrong; returns the exit status. */
static inline int tell_result(void)
{
	say("done=%lu bad=%lu", (unsigned long)done, (unsigned long)bad);
	return bad != 0;
}
