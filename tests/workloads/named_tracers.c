/* named_tracers.c -- runs a command and says which process each of its processes allows to trace it:
 * named_tracers COMMAND... prints "PROCESS names TRACER" for each prctl(PR_SET_PTRACER), and ends as
 * the command does. Ends with 77 where the kernel does not show system calls to a tracer.
 *
 * Source ptrace(2), PTRACE_GET_SYSCALL_INFO (Linux 5.3).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GET_SYSCALL_INFO = 0x420e, ENTRY = 1, CANNOT = 77 };

/* As in the kernel's header, which older C libraries do not have. */
struct call_info {
	uint8_t op, padding[3];
	uint32_t arch;
	uint64_t instruction_pointer, stack_pointer;
	uint64_t number, argument[6];
};

static void start(char **command)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	execvp(*command, command);
	perror(*command);
	_exit(127);
}

static int say_call(pid_t pid)
{
	struct call_info info = { .op = 0 };

	if (ptrace(GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) <= 0)
		return 0;
	if (info.op == ENTRY && info.number == SYS_prctl && info.argument[0] == PR_SET_PTRACER) {
		printf("%d names %d\n", (int)pid, (int)info.argument[1]);
		fflush(stdout);
	}
	return 1;
}

/* Returns the signal that the process gets. */
static int handle_stop(pid_t pid, int status)
{
	const int signal = WSTOPSIG(status);

	if (signal == (SIGTRAP | 0x80)) {
		if (!say_call(pid))
			exit(CANNOT);
		return 0;
	}
	/* A new process begins with SIGSTOP, and others stop for events of theirs. */
	return signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
}

int main(int argc, char **argv)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			     PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	pid_t first, pid;
	int status, result = 1;

	if (argc < 2)
		return 2;
	first = fork();
	if (first == 0)
		start(argv + 1);
	if (waitpid(first, &status, 0) != first || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, first, NULL, (void *)options) < 0)
		return CANNOT;
	ptrace(PTRACE_SYSCALL, first, NULL, NULL);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status))
			ptrace(PTRACE_SYSCALL, pid, NULL,
			       (void *)(intptr_t)handle_stop(pid, status));
		else if (pid == first)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	return result;
}
