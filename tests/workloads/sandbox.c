/* sandbox.c -- forbids itself system calls that it does not make, and then works:
 * `sandbox strict|filter`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "tests/lib/workload.h"

enum { BLOCKS = 20000 };

static void work(int count)
{
	static void *block[BLOCKS];

	for (int i = 0; i < count; i++)
		block[i] = malloc(200);
	for (int i = 0; i < count; i++)
		free(block[i]);
	say("truth 192-207 count=%d", count);
}

/* Nothing but read, write and exit. The heap is large enough already. */
static void strict(void)
{
	free(malloc(100000));
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) {
		say("no seccomp");
		return;
	}
	work(400);
	syscall(SYS_exit, 7);
}

/* Death for each call that only a recorder makes. */
static void filter(void)
{
	static const int forbidden[] = { SYS_madvise,	   SYS_mincore, SYS_membarrier, SYS_socket,
					 SYS_timer_create, SYS_futex,	SYS_sched_yield };
	enum { COUNT = sizeof(forbidden) / sizeof(forbidden[0]) };
	struct sock_filter code[2 * COUNT + 2];
	struct sock_fprog program = { .len = 2 * COUNT + 2, .filter = code };

	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr));
	for (unsigned int i = 0; i < COUNT; i++) {
		code[1 + 2 * i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)forbidden[i], 0, 1);
		code[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							       SECCOMP_RET_KILL_PROCESS);
	}
	code[2 * COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) {
		say("no seccomp");
		return;
	}
	work(BLOCKS);
	exit(8);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "strict"))
		strict();
	else
		filter();
	free(malloc(10));
	return 0;
}
