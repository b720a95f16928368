/* may_trace.c -- tells whether a process may be looked into: `may_trace PID` ends with status 0, or
 * says why not. The process is not stopped.
 *
 * It is the question on which tests of --attach depend, asked without memusage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

static int refuse(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	const int pid = argc > 1 ? atoi(argv[1]) : 0;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	if (open(path, O_RDWR | O_CLOEXEC) < 0)
		return refuse(path);
	/* Its end is ours. */
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0)
		return refuse("PTRACE_SEIZE");
	return 0;
}
