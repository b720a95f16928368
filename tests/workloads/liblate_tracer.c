/* LDLIBS: -ldl */
/* liblate_tracer.c -- a library that has a process come late to each thread that it is to trace, as one
 * that waits for a processor: while the file $LATE_TRACER exists. The file then has its ID.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "tests/lib/next_ptrace.h"

static void wait_while_there(const char *file)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0)
		return;
	dprintf(fd, "%d\n", (int)getpid());
	close(fd);
	while (access(file, F_OK) == 0)
		usleep(1000);
}

long ptrace(enum __ptrace_request request, ...)
{
	const char *file = getenv("LATE_TRACER");
	va_list rest;
	long result;

	if (request == PTRACE_SEIZE && file)
		wait_while_there(file);
	va_start(rest, request);
	result = call_next_ptrace(request, rest);
	va_end(rest);
	return result;
}
