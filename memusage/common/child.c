/* child.c -- Start and reap the programs that memusage runs for its own work.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/sibling.h"
#include "cli/xmalloc.h"

void child_reset_signals(void)
{
	struct sigaction normal = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &normal, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

char *child_pass_file(int fd)
{
	fcntl(fd, F_SETFD, 0);
	return xasprintf("/proc/self/fd/%d", fd);
}

void child_execute(const struct opt_list *arguments, const char *purpose)
{
	const char *name = arguments->item[0];
	char *tool = sibling_path("memusage", name);

	if (!tool)
		die("cannot find %s: /proc/self/exe is not readable", name);
	execv(tool, (char **)(uintptr_t)arguments->item);
	warn("%scannot run %s: %m", purpose, tool);
	_exit(127);
}

int child_open(const char *name)
{
	char *tool = sibling_path("memusage", name);
	int fd = tool ? open(tool, O_PATH | O_CLOEXEC) : -1;

	free(tool);
	return fd;
}

void child_execute_opened(int fd, const struct opt_list *arguments)
{
	fexecve(fd, (char **)(uintptr_t)arguments->item, environ);
	warn("cannot run %s: %m", arguments->item[0]);
	_exit(127);
}

pid_t child_fork(const char *name)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		warn("cannot run %s: %m", name);
	return pid;
}

int child_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int child_finish(pid_t pid, const char *name, const char *output)
{
	int status = pid > 0 ? child_wait(pid) : -1;

	/* A user who pipes a report into head has seen enough of it. */
	if (pid > 0 && WIFSIGNALED(status) && WTERMSIG(status) != SIGPIPE)
		warn("%s was killed by signal %d: %s is incomplete", name, WTERMSIG(status),
		     output);
	return status == 0 ? 0 : -1;
}
