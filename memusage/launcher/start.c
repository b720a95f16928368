/* start.c -- Start the program exactly as memusage itself was started.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/start.h"

#include <errno.h>
#include <limits.h>
#include <paths.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/xmalloc.h"
#include "recording/env.h"

/* ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF */
enum { TIMERS = 3 };

/* All signals but those that must stop or kill memusage, and those of its own errors. */
static void fill_forwarded_signals(sigset_t *taken)
{
	static const int left[] = { SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGSEGV, SIGBUS,
				    SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGXCPU };

	sigfillset(taken);
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		sigdelset(taken, left[i]);
}

void start_survive_limit(struct inherited *inherited)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGXFSZ, &ignore, &inherited->limit);
}

/* An inherited, ignored SIGCHLD would hide the exit status from us. The program gets it back. */
void start_prepare(struct inherited *inherited, sigset_t *taken)
{
	struct sigaction normal = { .sa_handler = SIG_DFL };

	fill_forwarded_signals(taken);
	sigprocmask(SIG_BLOCK, taken, &inherited->mask);
	sigaction(SIGCHLD, &normal, &inherited->child);
}

/* Tells whether ENTRY of an environment ("NAME=VALUE") sets variable NAME. */
static bool is_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

char *start_preload(const char *library)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && *preload ? xasprintf("LD_PRELOAD=%s:%s", library, preload) :
				     xasprintf("LD_PRELOAD=%s", library);
}

/* The number of our own seccomp filters; UINT_MAX if there are some and the kernel does not say how
 * many. */
static unsigned int own_filters(void)
{
	FILE *in = fopen("/proc/self/status", "re");
	unsigned int mode = 0, filters = 0;
	char line[256];

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "Seccomp: %u", &mode) != 1)
			sscanf(line, "Seccomp_filters: %u", &filters);
	if (in)
		fclose(in);
	return mode && !filters ? UINT_MAX : filters;
}

char **start_environment(const char *library, const char *collector, const char *emulator)
{
	/* An emulated program gets LD_PRELOAD from the emulator. */
	const bool keeps_preload = !library && !emulator;
	struct opt_list list = { .count = 0 };

	for (char **entry = environ; *entry; entry++)
		if ((keeps_preload || !is_variable(*entry, "LD_PRELOAD")) &&
		    !is_variable(*entry, MU_ENV_COLLECTOR) &&
		    !(emulator && is_variable(*entry, MU_ENV_EMULATOR)))
			opt_list_append(&list, *entry);
	if (library)
		opt_list_append(&list, start_preload(library));
	opt_list_append(&list, xasprintf(MU_ENV_COLLECTOR "=%s", collector));
	unsigned int filters = own_filters();
	if (filters && !getenv(MU_ENV_FILTERS))
		opt_list_append(&list, xasprintf(MU_ENV_FILTERS "=%u", filters));
	if (emulator)
		opt_list_append(&list, xasprintf(MU_ENV_EMULATOR "=%s", emulator));
	return (char **)(uintptr_t)list.item;
}

/* After vfork the child shares our memory until it executes: it changes only its own attributes
 * (timers, signal dispositions and mask) and *error. */
static pid_t spawn_program(const char *file, char **argv, char **envp,
			   const struct inherited *inherited,
			   const struct itimerval timer[TIMERS], volatile int *error)
{
	pid_t pid;

	*error = 0;
	pid = vfork();
	if (pid != 0)
		return pid;
	for (int i = 0; i < TIMERS; i++)
		setitimer(i, &timer[i], NULL);
	sigaction(SIGCHLD, &inherited->child, NULL);
	sigaction(SIGXFSZ, &inherited->limit, NULL);
	sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
	execve(file, argv, envp);
	*error = errno;
	_exit(127);
}

/* sh FILE ARG...: the program's arguments follow its path. */
static char **shell_arguments(const char *file, char **argv)
{
	struct opt_list list = { .count = 0 };

	opt_list_append(&list, "sh");
	opt_list_append(&list, file);
	for (char **word = argv + 1; *word; word++)
		opt_list_append(&list, *word);
	return (char **)(uintptr_t)list.item;
}

pid_t start_program(const char *file, char **argv, char **envp,
		    const struct inherited *inherited)
{
	const struct itimerval never = { .it_value.tv_sec = 0 };
	struct itimerval timer[TIMERS];
	volatile int error;
	pid_t pid;

	for (int i = 0; i < TIMERS; i++)
		setitimer(i, &never, &timer[i]);
	pid = spawn_program(file, argv, envp, inherited, timer, &error);

	if (pid > 0 && error == ENOEXEC) {
		waitpid(pid, NULL, 0);
		pid = spawn_program(_PATH_BSHELL, shell_arguments(file, argv), envp, inherited,
				    timer, &error);
	}
	if (pid > 0 && error != 0) {
		waitpid(pid, NULL, 0);
		pid = -1;
		errno = error;
	}
	return pid;
}
