/* alone.c -- looks for what a recorder without a collector could leave behind: children,
 * signals, descriptors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/lib/workload.h"

static volatile sig_atomic_t children;

static void on_child(int number)
{
	(void)number;
	children++;
}

/* Runs before the recorder's own destructor in the order of things; the last word is after. */
__attribute__((destructor)) static void last(void)
{
	say("children %d, wait %d", (int)children, waitpid(-1, NULL, WNOHANG));
}

static void after(void)
{
	say("exit handler");
}

int main(int argc, char **argv)
{
	pid_t pid;

	signal(SIGCHLD, on_child);
	atexit(after);
	free(malloc(5000));
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		pid = fork();
		if (!pid) {
			free(malloc(6000));
			exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	if (argc > 2 && !strcmp(argv[1], "chdir") && chdir(argv[2]) < 0)
		return 5;
	if (argc > 2 && !strcmp(argv[1], "chroot") && (chroot(argv[2]) < 0 || chdir("/") < 0))
		return 5;
	if (argc > 1 && !strcmp(argv[1], "close"))
		for (int fd = 2; fd < 100; fd++)
			close(fd);
	return 4;
}
