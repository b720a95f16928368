/* without.c -- executes a program as on a kernel that lacks something:
 * `without FEATURE[,FEATURE...] COMMAND...`; `without all ...`: everything that is in the table.
 *
 * A filter answers what such a kernel does: ENOSYS for a system call, EINVAL for a flag or an
 * advice. EPERM is what a container answers, and is not part of "all". Children inherit it. Without
 * arguments the names are printed. Ends with 77 where the kernel takes no filter, 78 if a feature is
 * not known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ANY = -1, MOST = 64 };

/* What is refused: the call if argument is ANY, else the call when that argument, masked, has the
 * value. Numbers as in the kernel's headers, since those of the C library may be older. */
struct feature {
	const char *name;
	int call, argument;
	unsigned int mask, value;
	int error;
};

#define CALL(name) { #name, __NR_##name, ANY, 0, 0, ENOSYS }

static const struct feature features[] = {
	CALL(memfd_create),
	{ "seals", __NR_memfd_create, 1, 2, 2, EINVAL },
	{ "add_seals", __NR_fcntl, 1, ~0u, 1033, EINVAL },
	{ "add_seals", __NR_fcntl, 1, ~0u, 1034, EINVAL },
	{ "populate", __NR_madvise, 2, ~0u, 22, EINVAL },
	{ "populate", __NR_madvise, 2, ~0u, 23, EINVAL },
	{ "wipeonfork", __NR_madvise, 2, ~0u, 18, EINVAL },
	{ "dontdump", __NR_madvise, 2, ~0u, 16, EINVAL },
	CALL(madvise),
	CALL(openat2),
	CALL(pidfd_open),
	CALL(pidfd_send_signal),
	CALL(pidfd_getfd),
	CALL(rseq),
	CALL(membarrier),
	CALL(copy_file_range),
	{ "close_range", 436, ANY, 0, 0, ENOSYS },
	CALL(statx),
	CALL(perf_event_open),
	CALL(process_vm_readv),
	CALL(process_vm_writev),
	CALL(userfaultfd),
	CALL(clone3),
	{ "faccessat2", 439, ANY, 0, 0, ENOSYS },
	{ "fallocate", __NR_fallocate, ANY, 0, 0, EOPNOTSUPP },
	CALL(timer_create),
	CALL(mincore),
	CALL(getrandom),
	CALL(kcmp),
	{ "ptrace", __NR_ptrace, ANY, 0, 0, EPERM },
	{ "seccomp", __NR_seccomp, ANY, 0, 0, ENOSYS },
#ifdef __NR_set_mempolicy
	CALL(set_mempolicy),
	CALL(get_mempolicy),
#endif
};

static struct sock_filter code[6 * MOST];
static unsigned short used;

static void emit(unsigned int op, unsigned int k, unsigned int yes, unsigned int no)
{
	code[used++] = (struct sock_filter){ (unsigned short)op, (unsigned char)yes,
					     (unsigned char)no, k };
}

/* The number of the call is loaded before and after; arguments are compared by their low half. */
static void refuse(const struct feature *f)
{
	unsigned int answer = SECCOMP_RET_ERRNO | (unsigned int)f->error;

	if (f->argument == ANY) {
		emit(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)f->call, 0, 1);
		emit(BPF_RET | BPF_K, answer, 0, 0);
		return;
	}
	emit(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)f->call, 0, 5);
	emit(BPF_LD | BPF_W | BPF_ABS,
	     (unsigned int)(offsetof(struct seccomp_data, args) + 8 * (size_t)f->argument), 0, 0);
	emit(BPF_ALU | BPF_AND | BPF_K, f->mask, 0, 0);
	emit(BPF_JMP | BPF_JEQ | BPF_K, f->value, 0, 1);
	emit(BPF_RET | BPF_K, answer, 0, 0);
	emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
}

static int refuse_all_of(const char *name)
{
	int found = 0;

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
		if (strcmp(name, features[i].name) &&
		    (strcmp(name, "all") || features[i].error == EPERM))
			continue;
		refuse(&features[i]);
		found = 1;
	}
	return found;
}

static void list(void)
{
	const char *last = "";

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
		if (strcmp(features[i].name, last))
			puts(features[i].name);
		last = features[i].name;
	}
}

/* Root may filter without giving up the right to gain rights, which would be another matter. */
static int install(void)
{
	struct sock_fprog program = { .len = used, .filter = code };

	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		list();
		return 0;
	}
	emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ","))
		if (!refuse_all_of(name)) {
			fprintf(stderr, "without: no feature %s\n", name);
			return 78;
		}
	emit(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	if (install()) {
		perror("without");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
