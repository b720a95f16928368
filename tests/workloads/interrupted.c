/* interrupted.c -- a handler forks in the middle of system calls: `interrupted fork|bare|raw|clone3`.
 *
 * A tracer sends the program a signal at the end of each of its system calls for memory, whoever makes
 * them: malloc, or a recorder in the middle of an event. The handler forks, and the child continues
 * what was interrupted, allocates some more, and ends with a status of its own. Status 77: no tracer
 * is allowed here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/lib/workload.h"

enum { BLOCKS = 30000, STATUS = 23, IN_CHILD = 200 };

/* ---- the program that is traced -------------------------------------------------------------- */

static const char *kind;
static volatile int harmed, in_child;
/* A word: the tracer reads it. Before the work begins no signal is due: a child of the handler would
 * read the tracer's answer in the place of this process, which would wait for ever. */
static volatile long forks = -1;

static pid_t fork_by_kind(void)
{
#if __GLIBC_PREREQ(2, 34)
	if (strcmp(kind, "bare") == 0)
		return _Fork();
#endif
	if (strcmp(kind, "fork") == 0)
		return fork();
#ifdef SYS_clone3
	struct clone_args arguments = { .exit_signal = SIGCHLD };
	pid_t pid = -1;

	if (strcmp(kind, "clone3") == 0)
		pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
	if (pid >= 0)
		return pid;
#endif
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void fork_in_handler(int number)
{
	int error = errno, status = -1;
	pid_t pid;

	(void)number;
	if (in_child)
		return;
	pid = fork_by_kind();
	if (!pid) {
		in_child = 1;
		alarm(60);
	} else {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		harmed += status != STATUS << 8;
		forks++;
	}
	errno = error;
}

/* From many call sites as a recorder sees them: stacks of all depths. */
static __attribute__((noinline)) void *allocate(unsigned int depth, size_t size)
{
	void *volatile block = depth == 0	? malloc(size)
			       : depth % 7 == 0 ? allocate(depth / 2, size)
						: allocate(depth - 1, size);

	return block;
}

static void work(void)
{
	for (unsigned int i = 0; i < BLOCKS && in_child < IN_CHILD; i++) {
		void *block = allocate(i % 97, i % 3000);

		if (i % 3 == 0)
			free(block);
		in_child += in_child > 0;
	}
	if (in_child)
		_exit(STATUS);
	signal(SIGUSR1, SIG_IGN);
	say("forks=%ld harmed=%d", forks, harmed);
}

/* ---- the tracer ------------------------------------------------------------------------------ */

#ifdef PTRACE_GET_SYSCALL_INFO
static bool is_for_memory(uint64_t number)
{
	static const long calls[] = { SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect,
				      SYS_madvise, SYS_mincore, SYS_brk, SYS_futex };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (number == (uint64_t)calls[i])
			return true;
	return false;
}

/* Whether a signal is due: SENT handlers have ended, so none is running or pending. */
static bool is_due(pid_t pid, uint64_t *number, long sent)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0)
		return false;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		*number = info.entry.nr;
	return info.op == PTRACE_SYSCALL_INFO_EXIT && is_for_memory(*number) &&
	       ptrace(PTRACE_PEEKDATA, pid, (void *)&forks, NULL) == sent;
}

static void trace(pid_t pid, int ready)
{
	uint64_t number = 0;
	long sent = 0;
	int status, sig = 0;

	if (ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACESYSGOOD) ||
	    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid)
		return;
	check(write(ready, "y", 1) == 1, "the program goes on");
	while (!ptrace(PTRACE_SYSCALL, pid, NULL, sig) && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status)) {
		sig = WSTOPSIG(status);
		if (sig == SIGTRAP)
			sig = 0;
		if (sig == (SIGTRAP | 0x80)) {
			sig = is_due(pid, &number, sent) ? SIGUSR1 : 0;
			sent += sig != 0;
		}
	}
}
#else
static void trace(pid_t pid, int ready)
{
	(void)pid, (void)ready;
}
#endif

/* Begins to trace this process. Returns whether it may be traced. */
static bool get_traced(void)
{
	pid_t self = getpid(), pid;
	int ready[2];
	char answer;

	check(pipe(ready) == 0, "pipe");
	pid = fork();
	if (!pid) {
		close(ready[0]);
		trace(self, ready[1]);
		_exit(0);
	}
	/* Yama lets no child trace its parent otherwise. */
	prctl(PR_SET_PTRACER, pid);
	close(ready[1]);
	return read(ready[0], &answer, 1) == 1;
}

int main(int argc, char **argv)
{
	kind = argc > 1 ? argv[1] : "fork";
	signal(SIGUSR1, fork_in_handler);
	if (!get_traced())
		return 77;
	forks = 0;
	work();
	return 0;
}
