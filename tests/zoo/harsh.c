/* harsh.c -- the species harsh: a process that takes something away from itself, and goes on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/zoo/older_libc.h"

static void call(const struct step *s, int result)
{
	int error = errno;

	note(s, (uint64_t)(uint32_t)result << 32 | (uint64_t)(result ? error : 0));
}

/* ---- rights ---- */

static void drop_rights(const struct step *s, struct draw *d)
{
	switch (draw_below(d, 4)) {
	case 0:
		call(s, setgroups(0, NULL));
		call(s, setgid(65534));
		call(s, setuid(65534));
		break;
	case 1:
		call(s, setresgid(65534, 65534, 65534));
		call(s, setresuid(65534, 65534, 65534));
		break;
	case 2:
		call(s, seteuid(65534));
		use_blocks(s, d, 5, 900);
		call(s, seteuid(getuid()));
		break;
	default:
		call(s, setreuid(65534, 65534));
	}
	note(s, getuid() == geteuid());
}

static void hide(const struct step *s, struct draw *d)
{
	switch (draw_below(d, 4)) {
	case 0:
		call(s, chroot(draw_below(d, 2) ? "/proc" : "/tmp"));
		break;
	case 1:
		call(s, chdir("/"));
		break;
	case 2:
		call(s, unshare(CLONE_NEWNS | CLONE_NEWIPC));
		break;
	default:
		call(s, prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
		call(s, prctl(PR_SET_NAME, "zoo (x) 1", 0, 0, 0));
	}
}

/* ---- descriptors, variables ---- */

/* The number that a new descriptor gets says whether somebody else holds one. */
static void close_all(const struct step *s, struct draw *d)
{
	int fd;

	switch (draw_below(d, 5)) {
	case 0:
		closefrom(3);
		break;
	case 1:
		call(s, close_range(3, ~0u, 0));
		break;
	case 2:
		call(s, (int)syscall(__NR_close_range, 0, ~0u, 0));
		break;
	case 3:
		closefrom(0);
		break;
	default:
		for (fd = 0; fd < 1024; fd++)
			close(fd);
	}
	fd = open("/dev/null", O_RDWR);
	note(s, (uint64_t)fd);
}

static void clear_variables(const struct step *s, struct draw *d)
{
	if (draw_below(d, 2)) {
		note(s, (uint64_t)clearenv());
	} else {
		environ = NULL;
		note(s, (uint64_t)setenv("A_NAME", "a value", 1));
	}
	note(s, getenv("LD_PRELOAD") != NULL);
}

/* ---- limits ---- */

static size_t mapped_now(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	fclose(f);
	return pages * 4096;
}

/* Nothing can be mapped: what malloc has kept must suffice. */
static void without_memory(const struct step *s)
{
	enum { COUNT = 200 };
	static void *block[COUNT];
	struct rlimit was, none;

	for (unsigned int i = 0; i < COUNT; i++)
		block[i] = malloc(64);
	for (unsigned int i = 0; i < COUNT; i++)
		free(block[i]);
	getrlimit(RLIMIT_AS, &was);
	none = was;
	none.rlim_cur = 4096;
	call(s, setrlimit(RLIMIT_AS, &none));
	for (unsigned int i = 0; i < COUNT; i++)
		note(s, (block[i] = malloc(64)) == NULL);
	note(s, malloc((size_t)300 << 20) == NULL);
	for (unsigned int i = 0; i < COUNT; i++)
		free(block[i]);
	call(s, setrlimit(RLIMIT_AS, &was));
}

static void limit(const struct step *s, struct draw *d)
{
	size_t now = mapped_now();
	struct rlimit some = { now + (512 << 20), now + (512 << 20) }, stack = { 1 << 20, 1 << 20 };
	struct rlimit files = { 24, 24 };

	switch (draw_below(d, 5)) {
	case 0:
		if (now)
			call(s, setrlimit(RLIMIT_AS, &some));
		note(s, malloc((size_t)2 << 40) == NULL);
		break;
	case 1:
		without_memory(s);
		break;
	case 2:
		call(s, setrlimit(RLIMIT_STACK, &stack));
		break;
	case 3:
		call(s, setrlimit(RLIMIT_NOFILE, &files));
		break;
	default:
		call(s, mlockall(draw_below(d, 2) ? MCL_CURRENT : MCL_CURRENT | MCL_FUTURE));
		munlockall();
	}
}

/* ---- seccomp ---- */

static void load_filter(const struct step *s, struct sock_filter *code, unsigned int count)
{
	struct sock_fprog program = { .len = (unsigned short)count, .filter = code };

	call(s, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (s->arg % 2)
		call(s, (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
	else
		call(s, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
}

/* All is allowed, but for calls that are unknown to older kernels. */
static void filter_new(const struct step *s)
{
	static const unsigned int unknown[] = { SYS_memfd_create, SYS_pidfd_open, __NR_openat2,
						SYS_userfaultfd, SYS_membarrier };
	enum { COUNT = sizeof(unknown) / sizeof(unknown[0]) };
	struct sock_filter code[2 * COUNT + 2];
	unsigned int n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (unsigned int i = 0; i < COUNT; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, unknown[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	load_filter(s, code, n);
}

static void filter_nothing(const struct step *s)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };

	load_filter(s, code, 1);
}

/* Death for all that malloc and write do not need; nothing is executed after it but allocations. */
static _Noreturn void filter_most(const struct step *s, struct draw *d)
{
	static const unsigned int known[] = { SYS_read, SYS_write, SYS_mmap, SYS_munmap, SYS_brk,
					      SYS_mremap, SYS_mprotect, SYS_madvise, SYS_futex,
					      SYS_exit_group, SYS_rt_sigreturn, SYS_rt_sigprocmask,
					      SYS_openat, SYS_close };
	enum { COUNT = sizeof(known) / sizeof(known[0]) };
	struct sock_filter code[2 * COUNT + 2];
	unsigned int n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (unsigned int i = 0; i < COUNT; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, known[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	load_filter(s, code, n);
	use_blocks(s, d, 200, 100000);
	_exit(zoo_status());
}

static void filter(const struct step *s, struct draw *d)
{
	switch (draw_below(d, 3)) {
	case 0:
		filter_nothing(s);
		break;
	case 1:
		filter_new(s);
		break;
	default:
		filter_most(s, d);
	}
}

static void block_signals(const struct step *s)
{
	sigset_t all;

	sigfillset(&all);
	note(s, (uint64_t)sigprocmask(SIG_SETMASK, &all, NULL));
}

static void take_away(const struct step *s, struct draw *d)
{
	switch (draw_below(d, 7)) {
	case 0:
		drop_rights(s, d);
		break;
	case 1:
		hide(s, d);
		break;
	case 2:
		close_all(s, d);
		break;
	case 3:
		clear_variables(s, d);
		break;
	case 4:
		limit(s, d);
		break;
	case 5:
		filter(s, d);
		break;
	default:
		block_signals(s);
	}
}

void do_harsh(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);
	struct room inner = { .can = r->can | CAN_ALONE | CAN_QUIET, .stack = r->stack };
	pid_t pid = fork();

	if (!(r->can & CAN_ALONE))
		inner.can &= ~(unsigned int)CAN_LOAD;
	if (pid == 0) {
		child_begin();
		for (unsigned int i = 0, n = 1 + draw_below(&d, 2); i < n; i++) {
			take_away(s, &d);
			use_blocks(s, &d, 6, 2000);
		}
		run_body(s, &inner);
		child_end(&d, true);
	}
	note(s, pid > 0);
	if (pid > 0)
		child_wait(s, pid, 0);
}
