/* attached_family.c -- forks and executes when it is told to, while a recorder is there.
 *
 * Reads lines from its standard input, and answers each:
 *
 *	keep		7 blocks of 100 bytes, kept; says "kept"
 *	fork		a child that keeps 5 blocks of 1000 bytes; says "child PID" when it has
 *	finish		waits for the child, which goes on, keeps 2 blocks of 30, and ends with status 7
 *			unless its memory is wrong; says "child 7"
 *	spawn		a child that keeps 3 blocks of 50, then executes `true`; says "child 0"
 *	execute		executes this program anew, which says "ready"
 *
 * With the end of its input it ends with status 0, whatever its child does. The child goes on when it
 * reads `f` from descriptor 9, or the end of that.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { ORDERS = 9, STATUS = 7, BLOCKS = 32 };

static unsigned char *block[BLOCKS];
static int blocks;

__attribute__((noinline)) static void keep(int count, size_t size)
{
	for (int i = 0; i < count; i++) {
		check(blocks < BLOCKS, "room");
		block[blocks] = malloc(size);
		check(block[blocks] != NULL, "memory");
		memset(block[blocks], blocks, size);
		blocks++;
	}
}

static int judge_blocks(void)
{
	for (int i = 0; i < blocks; i++)
		if (block[i][0] != (unsigned char)i || block[i][29] != (unsigned char)i)
			return 1;
	return STATUS;
}

static void be_child(int answer)
{
	char byte;

	keep(5, 1000);
	check(write(answer, "k", 1) == 1, "answer");
	close(answer);
	while (read(ORDERS, &byte, 1) == 1 && byte != 'f')
		continue;
	keep(2, 30);
	_exit(judge_blocks());
}

static pid_t fork_child(void)
{
	int pair[2];
	char byte;
	pid_t child;

	check(pipe(pair) == 0, "pipe");
	child = fork();
	check(child >= 0, "fork");
	if (child == 0)
		be_child(pair[1]);
	close(pair[1]);
	check(read(pair[0], &byte, 1) == 1, "child");
	close(pair[0]);
	say("child %d", (int)child);
	return child;
}

static void reap(pid_t child)
{
	int status = -1;

	check(waitpid(child, &status, 0) == child, "wait");
	say("child %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void spawn_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		keep(3, 50);
		execlp("true", "true", (char *)NULL);
		_exit(127);
	}
	reap(child);
}

static void obey(const char *line, char **argv)
{
	static pid_t child;

	if (strncmp(line, "keep", 4) == 0) {
		keep(7, 100);
		say("kept");
	} else if (strncmp(line, "fork", 4) == 0) {
		child = fork_child();
	} else if (strncmp(line, "finish", 6) == 0) {
		reap(child);
	} else if (strncmp(line, "spawn", 5) == 0) {
		spawn_child();
	} else if (strncmp(line, "execute", 7) == 0) {
		execvp(argv[0], argv);
	}
}

/* Reads one line, also if the next one is there already. */
static bool read_line(char *line, size_t size)
{
	size_t length = 0;

	while (length < size - 1 && read(0, &line[length], 1) == 1 && line[length] != '\n')
		length++;
	line[length] = '\0';
	return length > 0;
}

int main(int argc, char **argv)
{
	char line[64];

	(void)argc;
	say("ready");
	while (read_line(line, sizeof(line)))
		obey(line, argv);
	return 0;
}
