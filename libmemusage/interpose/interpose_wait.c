/* interpose_wait.c -- waitpid, wait3, wait4, waitid, to note how children end.
 *
 * Before Linux 6.15 only the parent can tell the status of a process that it has reaped.
 *
 * wait is left alone: libraries have functions of that name, which are called through us with
 * arguments that we do not know. So are the calls inside libc, in system() and pclose().
 *
 * A thread may be cancelled in these functions, or leave them from a signal handler: nothing is
 * held.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/lifecycle/image.h"

static struct next_waits {
	pid_t (*waitpid)(pid_t, int *, int);
	pid_t (*wait3)(int *, int, struct rusage *);
	pid_t (*wait4)(pid_t, int *, int, struct rusage *);
	int (*waitid)(idtype_t, id_t, siginfo_t *, int);
} next;

static void resolve_waits(void)
{
	real_find(&next.waitpid, "waitpid");
	real_find(&next.wait3, "wait3");
	real_find(&next.wait4, "wait4");
	real_find(&next.waitid, "waitid");
}

REAL_PART = { .resolve = resolve_waits };

/* Returns FOUND, the result of a function that has set STATUS if a child was found. */
static pid_t note_found(pid_t found, const int *status)
{
	if (found > 0)
		image_note_reaped(found, *status);
	return found;
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	int own;

	real_resolve();
	if (!status)
		status = &own;
	return note_found(next.waitpid(pid, status, options), status);
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	int own;

	real_resolve();
	if (!status)
		status = &own;
	return note_found(next.wait3(status, options, usage), status);
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	int own;

	real_resolve();
	if (!status)
		status = &own;
	return note_found(next.wait4(pid, status, options, usage), status);
}

/* Without WNOWAIT too: the status is the same, and the parent may reap the child without us. */
EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	int result;

	real_resolve();
	result = next.waitid(type, id, info, options);
	if (result != 0 || !info || info->si_pid == 0)
		return result;
	if (info->si_code == CLD_EXITED)
		image_note_reaped(info->si_pid, W_EXITCODE(info->si_status, 0));
	else if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED)
		image_note_reaped(info->si_pid, info->si_status);
	return result;
}
