/* LDLIBS: -ldl */
/* libkilled_tracer.c -- a library that kills a process which traces another before the $KILLED_AT-th step
 * by which it changes that: a request to ptrace, or what it writes to its memory. Or the process stands for
 * $AWAY_MS milliseconds before its $AWAY_AT-th PTRACE_INTERRUPT, as one that SIGSTOP has stopped; once.
 *
 * The steps of a process begin with its first PTRACE_SEIZE.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/next_ptrace.h"

static void count_step(int is_first)
{
	static pid_t tracer;
	static long steps;
	const char *most = getenv("KILLED_AT");

	if (is_first && tracer != getpid()) {
		tracer = getpid();
		steps = 0;
	}
	if (tracer == getpid() && most && ++steps == atol(most))
		kill(getpid(), SIGKILL);
}

static int *has_stood; /* of all processes */

__attribute__((constructor)) static void share_memory(void)
{
	has_stood = mmap(NULL, sizeof(*has_stood), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void stand(void)
{
	const char *most = getenv("AWAY_AT"), *time = getenv("AWAY_MS");
	const long ms = time ? atol(time) : 0;
	const struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	static pid_t tracer;
	static long requests;

	if (tracer != getpid())
		requests = 0;
	tracer = getpid();
	if (most && ++requests == atol(most) && !*has_stood) {
		*has_stood = 1;
		nanosleep(&pause, NULL);
	}
}

static int changes_nothing(int request)
{
	return request == PTRACE_GETREGSET || request == PTRACE_GETSIGMASK ||
	       request == PTRACE_PEEKSIGINFO || request == PTRACE_GETEVENTMSG ||
	       request == 0x420f || request == 0x4211; /* questions of Linux 5.13 and 6.4 */
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list rest;
	long result;

	if (request == PTRACE_INTERRUPT)
		stand();
	if (!changes_nothing(request))
		count_step(request == PTRACE_SEIZE);
	va_start(rest, request);
	result = call_next_ptrace(request, rest);
	va_end(rest);
	return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	ssize_t (*next)(int, const void *, size_t, off_t) =
		(ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");

	count_step(0);
	return next(fd, bytes, size, at);
}
