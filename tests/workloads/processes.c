/* processes.c -- A tree of processes that differ in what they hold, and in how they end.
 *
 *	processes KIB...	each argument makes a child that allocates so much and ends
 *
 * An argument is KIB, the letter of the end, and a number: 9e3 allocates 9 KiB and calls exit(3).
 * Ends: e exit, u _exit, U _Exit, q quick_exit, g a raw exit_group, m return from main, a abort, k a
 * signal, x exec of "true", o exit of a parent whose child allocates KIB and ends like u, r run until the
 * standard input ends. With "-" as first argument no child is waited for, and the program ends when the
 * standard input does. Prints "pid KIB ARGUMENT" for each process that allocates.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile keep;
static int ready[2]; /* a pipe; the child writes when it has allocated */

static void allocate(unsigned long kib, const char *argument)
{
	char line[200];
	int length = snprintf(line, sizeof(line), "%d %lu %s\n", (int)getpid(), kib, argument);

	keep = malloc(kib * 1024);
	if (!keep || write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(99);
	memset(keep, 1, kib * 1024);
	if (write(ready[1], "", 1) != 1)
		_exit(97);
}

static void wait_for_input(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

/* Returns the status of an end that is a return from main. */
static int end_process(char end, int number)
{
	switch (end) {
	case 'e': exit(number);
	case 'u': _exit(number);
	case 'U': _Exit(number);
	case 'q': quick_exit(number);
	case 'g': syscall(SYS_exit_group, number); break;
	case 'a': abort();
	case 'k': kill(getpid(), number); pause(); break;
	case 'x': execlp("true", "true", (char *)NULL); _exit(98);
	case 'r': wait_for_input(); break;
	default: break;
	}
	return number;
}

static int run_child(const char *argument)
{
	char *end;
	unsigned long kib = strtoul(argument, &end, 10);
	int number = *end ? atoi(end + 1) : 0;

	if (*end == 'o') {
		if (fork() > 0)
			exit(number);
		while (getppid() != 1 && number == 0)
			usleep(1000);
		allocate(kib, argument);
		_exit(number);
	}
	allocate(kib, argument);
	return end_process(*end, number);
}

int main(int argc, char **argv)
{
	bool waits = argc < 2 || strcmp(argv[1], "-") != 0;
	char byte;

	keep = malloc(1024);
	if (pipe(ready) < 0)
		return 97;
	for (int i = waits ? 1 : 2; i < argc; i++) {
		if (fork() == 0)
			return run_child(argv[i]);
		if (read(ready[0], &byte, 1) != 1)
			return 97;
		if (waits && !strchr(argv[i], 'r'))
			waitpid(-1, NULL, 0);
	}
	if (!waits)
		wait_for_input();
	return 5;
}
