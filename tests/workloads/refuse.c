/* refuse.c -- run a command whose code cannot be changed: neither through /proc/self/mem, nor by
 * making it writable.
 *
 * Usage: refuse COMMAND [ARGUMENT]...
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD_AT(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define LOAD(field) LOAD_AT(offsetof(struct seccomp_data, field))
#define LOAD_HIGH(field) LOAD_AT(offsetof(struct seccomp_data, field) + 4)
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define AND(value) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, value)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)

int main(int argc, char **argv)
{
	/* An offset beyond 4 GiB is an address. */
	struct sock_filter filter[] = {
		LOAD(nr),
		IF_EQUAL(SYS_pwrite64, 0, 2),
		LOAD_HIGH(args[3]),
		IF_EQUAL(0, 5, 4),
		IF_EQUAL(SYS_mprotect, 0, 4),
		LOAD(args[2]),
		AND(PROT_WRITE | PROT_EXEC),
		IF_EQUAL(PROT_WRITE | PROT_EXEC, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
		RETURN(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (argc < 2)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp");
		return 77;
	}
	/* A program with a filter from before its exec is recorded only then. */
	setenv("MEMUSAGE_FILTERS", "9", 1);
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
