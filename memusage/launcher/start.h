/* start.h -- Start the program exactly as memusage itself was started.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Inherited signal settings that memusage changes for itself and restores for the program. */
struct inherited {
	sigset_t mask;
	struct sigaction child;	/* of SIGCHLD */
	struct sigaction limit;	/* of SIGXFSZ */
};

/* start_survive_limit -- From now on a write beyond RLIMIT_FSIZE fails, and does not kill us. */
void start_survive_limit(struct inherited *inherited);

/* start_prepare -- Blocks all signals that can be forwarded, so that they can be fetched.
 *
 * taken  receives these signals.
 */
void start_prepare(struct inherited *inherited, sigset_t *taken);

/* start_preload -- Returns the LD_PRELOAD of an environment for execve(), to be freed.
 *
 * library  what names the recorder there; it precedes the user's LD_PRELOAD.
 */
char *start_preload(const char *library);

/* start_environment -- Returns memusage's environment with the recorder added.
 *
 * library    as for start_preload(); NULL: the program that is executed is not recorded.
 * collector  value of MEMUSAGE_COLLECTOR.
 * emulator   value of MU_ENV_EMULATOR; NULL: none.
 * Returns an array for execve(), never freed.
 */
char **start_environment(const char *library, const char *collector, const char *emulator);

/* start_program -- Executes FILE in a child.
 *
 * /bin/sh runs a file that is not a program, as in execvp(). Our timers (setitimer(2)) become the
 * child's, as an exec keeps them.
 * Returns its process ID, or -1 with errno if it could not be executed.
 */
pid_t start_program(const char *file, char **argv, char **envp,
		    const struct inherited *inherited);
