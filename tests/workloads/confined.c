/* LDLIBS: -lpthread */
/* confined.c -- has a seccomp filter that allows a list of calls, and kills for all others:
 * `confined all|madvise|thread`. The list is what a recorder needs, what this program calls, and
 * what it needs to be asked for; madvise: without that; thread: a second thread has a filter
 * without it, and the first one none.
 *
 * Says "ready", allocates for each byte on standard input, and ends with status 5.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/lib/workload.h"

/* madvise is the first one. mmap is allowed unless it is for code that can be written. */
static const int allowed[] = {
	SYS_madvise, SYS_memfd_create, SYS_munmap, SYS_close, SYS_getpid, SYS_rt_sigreturn,
	SYS_futex, SYS_mprotect, SYS_mremap, SYS_mincore, SYS_munlock, SYS_prlimit64, SYS_gettid,
	SYS_tgkill, SYS_sched_yield, SYS_nanosleep, SYS_membarrier, SYS_rt_sigprocmask,
	SYS_rt_sigaction, SYS_get_robust_list, SYS_clock_gettime, SYS_prctl, SYS_getppid,
	SYS_getuid, SYS_getresuid, SYS_getcwd, SYS_readlinkat, SYS_openat, SYS_read, SYS_fcntl,
	SYS_newfstatat, SYS_kcmp, SYS_write, SYS_exit_group, SYS_brk, SYS_restart_syscall,
};

enum { COUNT = sizeof(allowed) / sizeof(allowed[0]), FIXED = 9 };

static struct sock_filter when(unsigned int k, unsigned char yes, unsigned char no)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, yes, no);
}

static struct sock_filter load(unsigned int offset)
{
	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset);
}

static struct sock_filter end(unsigned int action)
{
	return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
}

static void confine(int first)
{
	struct sock_filter code[2 * COUNT + FIXED];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;

	code[n++] = load(offsetof(struct seccomp_data, nr));
	code[n++] = when(SYS_mmap, 0, 4);
	code[n++] = load(offsetof(struct seccomp_data, args[2]));
	code[n++] = when(PROT_READ | PROT_WRITE | PROT_EXEC, 0, 1);
	code[n++] = end(SECCOMP_RET_KILL_PROCESS);
	code[n++] = end(SECCOMP_RET_ALLOW);
	for (int i = first; i < COUNT; i++) {
		code[n++] = when((unsigned int)allowed[i], 0, 1);
		code[n++] = end(SECCOMP_RET_ALLOW);
	}
	code[n++] = end(SECCOMP_RET_KILL_PROCESS);
	program.len = n;
	check(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	      !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), "a seccomp filter");
}

static int end_of_pipe;

static void *wait_confined(void *unused)
{
	char byte;

	confine(1);
	say("ready");
	read(end_of_pipe, &byte, 1); /* for ever */
	return unused;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "all";
	pthread_t thread;
	char byte;
	int pair[2];

	if (pipe(pair))
		return 1;
	end_of_pipe = pair[0];
	free(malloc(100000));
	if (strcmp(what, "thread") == 0) {
		pthread_create(&thread, NULL, wait_confined, NULL);
	} else {
		confine(strcmp(what, "madvise") == 0);
		say("ready");
	}
	while (read(0, &byte, 1) == 1)
		for (int i = 0; i < 1000; i++)
			free(malloc(500));
	_exit(5);
}
