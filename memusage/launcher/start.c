/* start.c -- Start the program exactly as memusage itself was started.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/start.h"

#include <errno.h>
#include <paths.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "recording/env.h"

/* All signals but those that must stop or kill memusage, and those of its own errors. */
static void fill_forwarded_signals(sigset_t *taken)
{
	static const int left[] = { SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGSEGV, SIGBUS,
				    SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGXCPU };

	sigfillset(taken);
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		sigdelset(taken, left[i]);
}

/* An inherited, ignored SIGCHLD would hide the exit status from us. The program gets it back. */
void start_prepare(struct inherited *inherited, sigset_t *taken)
{
	struct sigaction normal = { .sa_handler = SIG_DFL };

	fill_forwarded_signals(taken);
	sigprocmask(SIG_BLOCK, taken, &inherited->mask);
	sigaction(SIGCHLD, &normal, &inherited->child);
}

bool start_is_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

char **start_environment(const char *library, const char *collector)
{
	const char *preload = getenv("LD_PRELOAD");
	size_t count = 0, used = 0;
	char **envp;

	while (environ[count])
		count++;
	envp = xcalloc(count + 3, sizeof(*envp));
	for (size_t i = 0; i < count; i++) {
		if (!start_is_variable(environ[i], "LD_PRELOAD") &&
		    !start_is_variable(environ[i], MU_ENV_COLLECTOR))
			envp[used++] = environ[i];
	}
	envp[used++] = preload && *preload ? xasprintf("LD_PRELOAD=%s:%s", library, preload) :
					     xasprintf("LD_PRELOAD=%s", library);
	envp[used] = xasprintf(MU_ENV_COLLECTOR "=%s", collector);
	return envp;
}

/* After vfork the child shares our memory until it executes: it changes only its own attributes
 * (signal dispositions and mask) and *error. */
static pid_t spawn_program(const char *file, char **argv, char **envp,
			   const struct inherited *inherited, volatile int *error)
{
	pid_t pid;

	*error = 0;
	pid = vfork();
	if (pid != 0)
		return pid;
	sigaction(SIGCHLD, &inherited->child, NULL);
	sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
	execve(file, argv, envp);
	*error = errno;
	_exit(127);
}

/* sh FILE ARG...: the program's arguments follow its path. */
static char **shell_arguments(const char *file, char **argv)
{
	size_t count = 0;
	char **full;

	while (argv[count])
		count++;
	full = xcalloc(count + 3, sizeof(*full));
	full[0] = xstrdup("sh");
	full[1] = xstrdup(file);
	for (size_t i = 1; i < count; i++)
		full[i + 1] = argv[i];
	return full;
}

pid_t start_program(const char *file, char **argv, char **envp,
		    const struct inherited *inherited)
{
	volatile int error;
	pid_t pid = spawn_program(file, argv, envp, inherited, &error);

	if (pid > 0 && error == ENOEXEC) {
		waitpid(pid, NULL, 0);
		pid = spawn_program(_PATH_BSHELL, shell_arguments(file, argv), envp, inherited,
				    &error);
	}
	if (pid > 0 && error != 0) {
		waitpid(pid, NULL, 0);
		pid = -1;
		errno = error;
	}
	return pid;
}
