/* seal.c -- a process gives up nearly all that it can do, before it reads what others made.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

enum { WRITES = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY) };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* The low half of an argument: all that is looked at are ints. */
#define LOAD_ARGUMENT(n) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW_CALL(name) SKIP_UNLESS(SYS_##name, 1), ALLOW
/* Only if none of the BITS of argument N is set. */
#define ALLOW_WITHOUT(name, n, bits) \
	SKIP_UNLESS(SYS_##name, 4), LOAD_ARGUMENT(n), \
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), REFUSE, ALLOW

bool seal_process(int output)
{
	struct sock_filter filter[] = {
		LOAD(arch),
		SKIP_UNLESS(ARCHITECTURE, 1),
		BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
		REFUSE,
		LOAD(nr),
		ALLOW_CALL(read),
		ALLOW_CALL(pread64),
		ALLOW_CALL(lseek),
		ALLOW_CALL(fstat),
		ALLOW_CALL(newfstatat),
		ALLOW_CALL(readlinkat),
#ifdef SYS_readlink
		ALLOW_CALL(readlink),
#endif
		ALLOW_CALL(close),
		ALLOW_CALL(munmap),
		ALLOW_CALL(brk),
		ALLOW_CALL(mremap),
		ALLOW_CALL(madvise),
		ALLOW_CALL(futex),
		ALLOW_CALL(getrandom),
		ALLOW_CALL(clock_gettime),
		ALLOW_CALL(getrusage),
		ALLOW_CALL(rt_sigreturn),
		ALLOW_CALL(exit),
		ALLOW_CALL(exit_group),
		ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
		ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
		ALLOW_WITHOUT(openat, 2, WRITES),
		SKIP_UNLESS(SYS_write, 3),
		LOAD_ARGUMENT(0),
		SKIP_UNLESS((uint32_t)output, 1),
		ALLOW,
		REFUSE,
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

bool seal_process(int output)
{
	return false;
}

#endif
