/* child.h -- Start and reap the programs that memusage runs for its own work.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

#include "cli/options.h"

/* child_reset_signals -- Resets all signals before an exec: a child would ignore those that the
 * collector ignores. */
void child_reset_signals(void);

/* child_pass_file -- Returns a name by which the program that this process executes next can open
 * the file of descriptor FD; to be freed. */
char *child_pass_file(int fd);

/* child_execute -- Executes memusageprint or memusagestat, which is installed next to this
 * program.
 *
 * arguments  the first is the name of the program.
 * purpose    begins the message of a failure: "cannot draw x.png: ", or "".
 * Does not return; the exit status is not 0 after a message.
 */
__attribute__((noreturn)) void child_execute(const struct opt_list *arguments,
					     const char *purpose);

/* child_open -- Opens that program, for a process that will not reach it by its path.
 *
 * Returns a descriptor that an exec closes, or -1 with errno.
 */
int child_open(const char *name);

/* child_execute_opened -- Executes what child_open() has opened, as child_execute() does. */
__attribute__((noreturn)) void child_execute_opened(int fd, const struct opt_list *arguments);

/* child_fork -- Makes a child that executes the program NAME. Returns as fork() does, -1 after a
 * message. */
pid_t child_fork(const char *name);

/* child_finish -- Waits until the child PID of child_fork() has ended, which may be -1.
 *
 * output  is incomplete if a signal killed it: "its report". A message says so, but of SIGPIPE.
 * Returns 0 if it succeeded, else -1.
 */
int child_finish(pid_t pid, const char *name, const char *output);

/* child_wait -- Waits until the child PID has ended, also across signals.
 *
 * Returns its status as wait() gives it, or 0 if there is no such child.
 */
int child_wait(pid_t pid);
