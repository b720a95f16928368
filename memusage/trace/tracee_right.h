/* tracee_right.h -- Whether a process that is traced may still be.
 *
 * Root traces whatever it names, and a program with the setuid bit that a process executes while
 * root traces it gets the rights of its owner. So whether a process belongs to a user is asked
 * again whenever it has been able to run: the result goes to that user, who also chooses the code
 * that the process runs for us. What executes a program does not have our memory afterwards.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct tracee_right {
	int fd;	    /* of memory that the process has mapped */
	uid_t user; /* if we have a capability: the process has no rights but those of this user, or
		     * is another one of root */
};

/* tracee_right_has_only -- Tells whether PID has no rights but those of USER, or may have others:
 * we have no capability, or USER is root. */
bool tracee_right_has_only(pid_t pid, uid_t user);

/* tracee_right_holds -- Tells whether PID has our memory and no other rights. R may be NULL: the
 * kernel has been asked. Cost three files of /proc, nothing without a
 * capability. */
bool tracee_right_holds(const struct tracee_right *r, pid_t pid);

/* tracee_right_enter_files -- Takes the rights of the process's user for what is opened from now
 * on: the process says which files are its own, and is told what is in them.
 *
 * r    may be NULL: our rights are the user's.
 * pid  the process.
 * Returns whether files may be opened. The calling process loses its further groups for good.
 */
bool tracee_right_enter_files(const struct tracee_right *r, pid_t pid);

/* tracee_right_leave_files -- Takes our own rights again. */
void tracee_right_leave_files(const struct tracee_right *r);
