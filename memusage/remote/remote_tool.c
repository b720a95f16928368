/* remote_tool.c -- Run memusageprint or memusagestat for a command of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/sibling.h"

static void execute_tool(const char *name, char **argv, const int *kept)
{
	char *tool = sibling_path("memusage", name);

	if (!tool)
		die("cannot find %s: /proc/self/exe is not readable", name);
	while (*kept >= 0)
		fcntl(*kept++, F_SETFD, 0);
	execv(tool, argv);
	warn("cannot run %s: %m", tool);
	_exit(127);
}

pid_t remote_tool_start(const char *name, char **argv, const int *kept)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		execute_tool(name, argv, kept);
	if (pid < 0)
		warn("cannot run %s: %m", name);
	for (char **item = argv; *item; item++)
		free(*item);
	free(argv);
	return pid;
}

int remote_tool_wait(const char *name, pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		warn("%s was killed by signal %d: its report is incomplete", name,
		     WTERMSIG(status));
	return status == 0 ? 0 : -1;
}
