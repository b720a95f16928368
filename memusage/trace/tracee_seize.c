/* tracee_seize.c -- Beginning to trace the threads of a process that may execute a program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/trace/tracee_seize.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "memusage/trace/tracee_wait.h"

/* A thread that executes a program waits until the other threads are dead, and those that we trace
 * until we have waited for them; and PTRACE_SEIZE waits until the program is executed. The signal
 * that a traced thread is dead interrupts it. */
static struct tracee *seizing;

/* A wait for the end of a traced thread takes a stop as well, which is waited for elsewhere. */
void tracee_seize_reap(pid_t tid)
{
	siginfo_t info = { .si_code = 0 };

	if (waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
	    tracee_wait_is_end(&info))
		waitid(P_PID, (id_t)tid, NULL, WEXITED | WNOHANG | __WALL);
}

static void reap_dead_threads(int signal)
{
	const int before = errno;

	for (uint32_t i = 0; seizing && i < seizing->count; i++)
		tracee_seize_reap(seizing->thread[i].tid);
	errno = before;
}

static sigset_t only_of_children(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return set;
}

/* The signal stays blocked but in tracee_seize(), while the list of threads changes. */
void tracee_seize_begin(struct tracee *t, struct tracee_seizure *s)
{
	const struct sigaction reap = { .sa_handler = reap_dead_threads, .sa_flags = SA_NOCLDSTOP };
	const sigset_t set = only_of_children();

	seizing = t;
	sigprocmask(SIG_BLOCK, &set, &s->mask);
	sigaction(SIGCHLD, &reap, &s->action);
}

void tracee_seize_end(const struct tracee_seizure *s)
{
	sigaction(SIGCHLD, &s->action, NULL);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
	seizing = NULL;
}

bool tracee_seize(pid_t tid)
{
	const sigset_t set = only_of_children();
	long result;
	int why;

	sigprocmask(SIG_UNBLOCK, &set, NULL);
	result = ptrace(PTRACE_SEIZE, tid, NULL, NULL);
	why = errno;
	sigprocmask(SIG_BLOCK, &set, NULL);
	errno = why;
	return result == 0;
}
