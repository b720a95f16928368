/* hold_traced.c -- `hold_traced PID` traces a process, as a debugger does, until its own input ends.
 * The process is not stopped. "ready" is said when it is traced.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char byte;

	if (ptrace(PTRACE_SEIZE, argc > 1 ? atoi(argv[1]) : 0, NULL, NULL) < 0) {
		printf("PTRACE_SEIZE: %s\n", strerror(errno));
		return 1;
	}
	puts("ready");
	fflush(stdout);
	/* Its end is ours. */
	return read(STDIN_FILENO, &byte, 1) != 0;
}
