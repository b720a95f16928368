/* phases.c -- Holds some memory, then other memory, and tells when: for merges of processes.
 *
 *	phases BIG SMALL [CHILDREN]
 *
 * Allocates BIG KiB in 64 blocks, prints "big", and waits for a line of input; frees them,
 * allocates SMALL KiB in 16 blocks, prints "small", waits for another line, and ends.
 * With CHILDREN it forks as many processes while it holds the first memory. Child number N allocates
 * N times SMALL KiB and frees half of the memory of its parent; all wait for the end of input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BIG = 64, SMALL = 16 };

static void *big[BIG], *small[SMALL];

static __attribute__((noinline)) void hold_big(size_t kib)
{
	for (int i = 0; i < BIG; i++)
		big[i] = malloc(kib * 1024 / BIG);
}

static __attribute__((noinline)) void hold_small(size_t kib)
{
	for (int i = 0; i < SMALL; i++)
		small[i] = malloc(kib * 1024 / SMALL);
}

/* Not by stdio, whose 4 KiB while it prints are more than one block, and so may be a part of the
 * largest sum. */
static void wait_for_line(const char *now)
{
	char byte, line[16];
	const int length = snprintf(line, sizeof(line), "%s\n", now);

	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		exit(1);
	while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
		;
}

static void free_big(int count)
{
	for (int i = 0; i < count; i++) {
		free(big[i]);
		big[i] = NULL;
	}
}

/* Returns in the children only. */
static int fork_children(int count)
{
	for (int i = 1; i <= count; i++) {
		if (fork() == 0)
			return i;
	}
	wait_for_line("forked");
	while (wait(NULL) > 0)
		;
	exit(0);
}

int main(int argc, char **argv)
{
	const int children = argc > 3 ? atoi(argv[3]) : 0;
	int number;

	if (argc < 3)
		return 2;
	hold_big(strtoul(argv[1], NULL, 10));
	if (children > 0) {
		number = fork_children(children);
		free_big(BIG / 2);
		hold_small((size_t)number * strtoul(argv[2], NULL, 10));
		wait_for_line("child");
		_exit(0);
	}
	wait_for_line("big");
	free_big(BIG);
	hold_small(strtoul(argv[2], NULL, 10));
	wait_for_line("small");
	return 0;
}
