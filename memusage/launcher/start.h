/* start.h -- start the program exactly as memusage itself was started.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_LAUNCHER_START_H
#define MEMUSAGE_LAUNCHER_START_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* What memusage inherited and changes for itself. */
struct inherited {
	sigset_t mask;
	struct sigaction child;	/* of SIGCHLD */
};

/* start_prepare -- take over signals: all that can be forwarded wait to be fetched.
 *
 * taken  set to them.
 */
void start_prepare(struct inherited *inherited, sigset_t *taken);

/* start_environment -- memusage's environment with the recorder in it.
 *
 * library    path of the recorder; a user's LD_PRELOAD stays behind it.
 * collector  value of MEMUSAGE_COLLECTOR.
 * Returns an array for execve(), never freed.
 */
char **start_environment(const char *library, const char *collector);

/* start_is_variable -- Tells whether ENTRY of an environment ("NAME=VALUE") sets variable NAME. */
bool start_is_variable(const char *entry, const char *name);

/* start_program -- execute FILE in a child.
 *
 * A file that is not a program is given to /bin/sh, as execvp() does it.
 * Returns its process ID, or -1 with errno when it could not be executed.
 */
pid_t start_program(const char *file, char **argv, char **envp,
		    const struct inherited *inherited);

#endif
