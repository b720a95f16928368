/* ends.c -- does the same work and then ends in one of all possible ways: `ends HOW`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "tests/lib/workload.h"

static void at_exit(void)
{
	free(malloc(7000));
}

static void work(void)
{
	static void *block[100];

	for (int round = 0; round < 10; round++)
		for (int i = 0; i < 100; i++)
			block[i] = realloc(block[i], (size_t)(round + 1) * 100);
	for (int i = 0; i < 100; i += 2)
		free(block[i]);
	say("truth realloc calls=1000 bytes=100000");
	say("truth heap peak=100000");
	say("truth 992-1007 count=100");
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";

	atexit(at_exit);
	at_quick_exit(at_exit);
	work();
	if (!strcmp(how, "exit"))
		exit(7);
	if (!strcmp(how, "_exit"))
		_exit(8);
	if (!strcmp(how, "quick_exit"))
		quick_exit(9);
	if (!strcmp(how, "syscall"))
		syscall(SYS_exit_group, 10);
	if (!strcmp(how, "thread_exit"))
		syscall(SYS_exit, 11);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "trap"))
		__builtin_trap();
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	if (!strncmp(how, "kill-", 5))
		kill(getpid(), atoi(how + 5));
	if (!strcmp(how, "closed")) {
		for (int fd = 0; fd < 3; fd++)
			close(fd);
		exit(12);
	}
	return 0;
}
