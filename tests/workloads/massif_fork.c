/* CFLAGS: -O0 -fno-inline */
/* massif_fork.c -- a child with its parent's history, and both go on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(size_t n, int times)
{
	for (int i = 0; i < times; i++)
		malloc(n);
}

int main(int argc, char **argv)
{
	pid_t pid;

	work(500, 10);
	pid = fork();
	if (pid == 0) {
		work(160, 20);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	work(320, 15);
	return 0;
}
