/* remote_tool.c -- Run memusageprint or memusagestat for a command of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_tool.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusage/common/child.h"

pid_t remote_tool_fork(const char *name)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		warn("cannot run %s: %m", name);
	return pid;
}

int remote_tool_wait(const char *name, pid_t pid)
{
	int status = child_wait(pid);

	if (WIFSIGNALED(status))
		warn("%s was killed by signal %d: its report is incomplete", name,
		     WTERMSIG(status));
	return status == 0 ? 0 : -1;
}
