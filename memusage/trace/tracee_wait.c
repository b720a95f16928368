/* tracee_wait.c -- Whether a traced thread stands.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/trace/tracee_wait.h"

#include <errno.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "memusage/common/clock.h"

enum { SPINS = 200 };

bool tracee_wait_is_held(pid_t tid)
{
	uint64_t mask;

	return ptrace(PTRACE_GETSIGMASK, tid, (void *)sizeof(mask), &mask) == 0;
}

bool tracee_wait_is_end(const siginfo_t *info)
{
	return info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
	       info->si_code == CLD_DUMPED;
}

/* A call takes some microseconds: first without sleep. */
int tracee_wait_stop(pid_t tid, uint64_t wait_ns)
{
	const struct timespec pause = { .tv_nsec = 20000 };
	const uint64_t end = clock_now(CLOCK_MONOTONIC) + wait_ns;
	int status;

	for (unsigned int turn = 0;; turn++) {
		const pid_t got = waitpid(tid, &status, __WALL | WNOHANG);

		if (got > 0)
			return WIFSTOPPED(status) ? status : -1;
		if ((got < 0 && errno != EINTR) || clock_now(CLOCK_MONOTONIC) > end)
			return -1;
		if (turn < SPINS)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
}
