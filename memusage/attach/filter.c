/* filter.c -- Would the seccomp filters of a process allow what the recorder does in it?
 *
 * A filter is a program of the old packet filter, whose jumps lead forward only. A decision that
 * depends on an argument that is not known is followed both ways.
 *
 * Source  seccomp_check_filter() and ___bpf_prog_run() of Linux; seccomp(2).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "memusage/common/process.h"

#ifndef PTRACE_SECCOMP_GET_FILTER
#define PTRACE_SECCOMP_GET_FILTER 0x420c
#endif
#define FILTERS_MOST 1024
#define FILTERS_NS UINT64_C(5000000000) /* CPU time for all of them: the process is stopped */

enum {
	STEPS_MOST = 1 << 20, /* of all ways through a filter */
	DEPTH_MOST = 256      /* of decisions on one way that depend on what is not known */
};

/* ---- running a filter -------------------------------------------------------------------- */

struct value {
	uint32_t bits;
	bool is_known;
};

struct machine {
	struct value a, x, memory[BPF_MEMWORDS];
};

struct run {
	const struct sock_filter *code;
	size_t count;
	const struct filter_call *call;
	unsigned int steps;
};

static struct value known(uint32_t bits)
{
	return (struct value){ bits, true };
}

/* Returns a word of what the kernel gives to a filter. */
static struct value load(const struct run *r, uint32_t offset)
{
	const uint32_t first = offsetof(struct seccomp_data, args);
	const uint32_t number = (offset - first) / 8;

	if (offset == offsetof(struct seccomp_data, nr))
		return known((uint32_t)r->call->number);
	if (offset == offsetof(struct seccomp_data, arch))
		return known(AUDIT_ARCH_X86_64);
	if (offset < first || !(r->call->known >> number & 1))
		return (struct value){ 0, false };
	return known((uint32_t)(r->call->argument[number] >> (offset % 8 ? 32 : 0)));
}

static struct value calculate(uint16_t operation, struct value a, struct value b)
{
	uint32_t r = 0;

	switch (operation) {
	case BPF_ADD: r = a.bits + b.bits; break;
	case BPF_SUB: r = a.bits - b.bits; break;
	case BPF_MUL: r = a.bits * b.bits; break;
	case BPF_DIV: r = a.bits / b.bits; break;
	case BPF_AND: r = a.bits & b.bits; break;
	case BPF_OR:  r = a.bits | b.bits; break;
	case BPF_XOR: r = a.bits ^ b.bits; break;
	case BPF_LSH: r = a.bits << (b.bits & 31); break;
	case BPF_RSH: r = a.bits >> (b.bits & 31); break;
	case BPF_NEG: return (struct value){ -a.bits, a.is_known };
	default: return (struct value){ 0, false };
	}
	return (struct value){ r, a.is_known && b.is_known };
}

static bool compare(uint16_t operation, uint32_t a, uint32_t b)
{
	return operation == BPF_JEQ ? a == b :
	       operation == BPF_JGT ? a > b :
	       operation == BPF_JGE ? a >= b :
				      (a & b) != 0;
}

static bool is_jump(uint16_t operation)
{
	return operation == BPF_JEQ || operation == BPF_JGT || operation == BPF_JGE ||
	       operation == BPF_JSET;
}

/* Returns false for an instruction that moves no data, or is none, and for a division by 0, for
 * which the kernel kills. */
static bool move(const struct run *r, struct machine *m, const struct sock_filter *i)
{
	const struct value b = BPF_SRC(i->code) == BPF_X ? m->x : known(i->k);
	const bool has_cell = i->k < BPF_MEMWORDS;
	const bool has_word = i->k % 4 == 0 && i->k < sizeof(struct seccomp_data);

	if (BPF_CLASS(i->code) == BPF_ALU && BPF_OP(i->code) == BPF_DIV &&
	    !(b.is_known && b.bits))
		return false;
	if (BPF_CLASS(i->code) == BPF_ALU)
		m->a = calculate(BPF_OP(i->code), m->a, b);
	else if (i->code == (BPF_LD | BPF_W | BPF_ABS) && has_word)
		m->a = load(r, i->k);
	else if (i->code == (BPF_LD | BPF_W | BPF_LEN))
		m->a = known(sizeof(struct seccomp_data));
	else if (i->code == (BPF_LDX | BPF_W | BPF_LEN))
		m->x = known(sizeof(struct seccomp_data));
	else if (i->code == (BPF_LD | BPF_IMM))
		m->a = known(i->k);
	else if (i->code == (BPF_LDX | BPF_IMM))
		m->x = known(i->k);
	else if (i->code == (BPF_LD | BPF_MEM) && has_cell)
		m->a = m->memory[i->k];
	else if (i->code == (BPF_LDX | BPF_MEM) && has_cell)
		m->x = m->memory[i->k];
	else if (i->code == BPF_ST && has_cell)
		m->memory[i->k] = m->a;
	else if (i->code == BPF_STX && has_cell)
		m->memory[i->k] = m->x;
	else if (i->code == (BPF_MISC | BPF_TAX))
		m->x = m->a;
	else if (i->code == (BPF_MISC | BPF_TXA))
		m->a = m->x;
	else
		return false;
	return true;
}

static bool is_allowed(const struct run *r, uint32_t action)
{
	action &= SECCOMP_RET_ACTION_FULL;
	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG ||
	       (action == SECCOMP_RET_ERRNO && r->call->may_fail);
}

/* Returns whether all ways from instruction AT on allow the call. */
static bool run_from(struct run *r, struct machine m, size_t at, unsigned int depth)
{
	for (; at < r->count && r->steps < STEPS_MOST; at++, r->steps++) {
		const struct sock_filter *i = &r->code[at];
		const uint16_t operation = BPF_OP(i->code);
		const struct value b = BPF_SRC(i->code) == BPF_X ? m.x : known(i->k);

		if (i->code == (BPF_RET | BPF_K))
			return is_allowed(r, i->k);
		if (i->code == (BPF_RET | BPF_A))
			return m.a.is_known && is_allowed(r, m.a.bits);
		if (i->code == (BPF_JMP | BPF_JA)) {
			at += i->k;
		} else if (BPF_CLASS(i->code) != BPF_JMP) {
			if (!move(r, &m, i))
				return false;
		} else if (!is_jump(operation)) {
			return false;
		} else if (m.a.is_known && b.is_known) {
			at += compare(operation, m.a.bits, b.bits) ? i->jt : i->jf;
		} else {
			if (depth == DEPTH_MOST || !run_from(r, m, at + 1 + i->jt, depth + 1))
				return false;
			at += i->jf;
		}
	}
	return false;
}

bool filter_allows(const struct sock_filter *code, size_t count, const struct filter_call *call)
{
	struct run r = { .code = code, .count = count, .call = call };
	struct machine m = { .a = known(0), .x = known(0) };

	for (size_t i = 0; i < BPF_MEMWORDS; i++)
		m.memory[i] = known(0);
	return run_from(&r, m, 0, 0);
}

/* ---- the recorder's calls ---------------------------------------------------------------- */

#if defined(__x86_64__)

#define ANY(call) { .number = SYS_##call, .name = #call }
#define WITH(call, bits, ...) \
	{ .number = SYS_##call, .name = #call, .known = bits, .argument = { __VA_ARGS__ } }
/* shared_memory.c has another way: docker's usual filter forbids kcmp. */
#define OPTIONAL(call) { .number = SYS_##call, .name = #call, .may_fail = true }
#define RW (PROT_READ | PROT_WRITE)
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)

/* The system calls of borrowed threads, and later of all threads for the recorder: grep for SYS_ in
 * libmemusage. */
static const struct filter_call calls[] = {
	/* attach.c, blob.c, borrow.c, stop.c */
	ANY(memfd_create), ANY(munmap), ANY(close), ANY(getpid), ANY(rt_sigreturn), ANY(futex),
	WITH(mmap, 0xc, 0, 0, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE),
	WITH(mmap, 0xc, 0, 0, PROT_READ, MAP_PRIVATE | MAP_FIXED),
	WITH(mmap, 0xc, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED),
	WITH(mmap, 0xc, 0, 0, RW, PRIVATE | MAP_FIXED),
	WITH(mprotect, 4, 0, 0, RW),
	/* memory, in base/ and image/ */
	WITH(mmap, 0xc, 0, 0, RW, PRIVATE | MAP_NORESERVE),
	WITH(mmap, 0xc, 0, 0, RW, MAP_SHARED),
	WITH(mmap, 0xc, 0, 0, PROT_READ | PROT_EXEC, PRIVATE | MAP_FIXED_NOREPLACE),
	ANY(mremap), ANY(mincore), ANY(munlock), ANY(prlimit64),
	WITH(madvise, 4, 0, 0, MADV_DONTNEED), WITH(madvise, 4, 0, 0, MADV_DONTDUMP),
	WITH(madvise, 4, 0, 0, MADV_WIPEONFORK), WITH(madvise, 4, 0, 0, MADV_REMOVE),
	/* threads */
	ANY(gettid), ANY(tgkill), ANY(sched_yield), ANY(nanosleep), ANY(membarrier),
	ANY(rt_sigprocmask), ANY(rt_sigaction), ANY(get_robust_list), ANY(clock_gettime),
	WITH(prctl, 1, PR_GET_NAME), WITH(prctl, 1, PR_GET_TSC),
	/* the process and its modules */
	ANY(getppid), ANY(getuid), ANY(getresuid), ANY(getcwd), ANY(readlinkat), ANY(openat),
	ANY(read), ANY(fcntl), ANY(newfstatat), OPTIONAL(kcmp),
};

enum { CALLS = sizeof(calls) / sizeof(*calls) };

static enum target_result refuse(struct mu_error *err, const char *call)
{
	mu_error_set(err, MU_ERROR_SYSTEM, 0,
		     "its seccomp filter does not allow %s, which the recorder needs: start it "
		     "under memusage, or without the filter (docker run --security-opt "
		     "seccomp=unconfined)", call);
	return TARGET_REFUSED;
}

/* The kernel shows filters to root only, and to no process that has one (seccomp_get_filter()). */
static enum target_result refuse_unread(struct mu_error *err)
{
	const char *what = geteuid() == 0 ?
		"no process that has one itself can read the filter: run this outside of the "
		"container" :
		"only root can read the filter (CAP_SYS_ADMIN): run this as root";

	mu_error_set(err, MU_ERROR_SYSTEM, 0,
		     "it has a seccomp filter, which could kill it for a system call of the "
		     "recorder, and %s, or start it without the filter (docker run --security-opt "
		     "seccomp=unconfined)", what);
	return TARGET_REFUSED;
}

/* All ways through one filter are few; a thread may have hundreds of filters. */
static bool is_too_late(uint64_t end_ns, struct mu_error *err)
{
	if (clock_now(CLOCK_PROCESS_CPUTIME_ID) <= end_ns)
		return false;
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "its seccomp filters have too many ways through "
					      "them: start it under memusage");
	return true;
}

static enum target_result check_filter(const struct sock_filter *code, size_t count,
				       struct mu_error *err)
{
	for (size_t i = 0; i < CALLS; i++) {
		if (!filter_allows(code, count, &calls[i]))
			return refuse(err, calls[i].name);
	}
	return TARGET_OK;
}

static bool has_filter(pid_t tid)
{
	char text[8192];
	const char *line;

	process_read_file(tid, "status", text, sizeof(text));
	line = strstr(text, "\nSeccomp:");
	return line && strtol(line + 9, NULL, 10) == SECCOMP_MODE_FILTER;
}

static enum target_result check_thread(pid_t tid, uint64_t end_ns, struct mu_error *err)
{
	struct sock_filter *code = xcalloc(BPF_MAXINSNS, sizeof(*code));
	enum target_result result = TARGET_OK;
	long count = 0;

	for (unsigned long i = 0; i < FILTERS_MOST && result == TARGET_OK; i++) {
		count = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, (void *)i, NULL);
		if (count < 0 && errno == ENOENT)
			break;
		/* EINVAL: the thread has no filter. EACCES: users are not told. */
		if (count < 0 && (errno == EINVAL || !has_filter(tid)))
			break;
		if (count < 0 || count > BPF_MAXINSNS ||
		    ptrace(PTRACE_SECCOMP_GET_FILTER, tid, (void *)i, code) != count)
			result = refuse_unread(err);
		else if (is_too_late(end_ns, err))
			result = TARGET_REFUSED;
		else
			result = check_filter(code, (size_t)count, err);
	}
	free(code);
	return result;
}

#else

static enum target_result check_thread(pid_t tid, uint64_t end_ns, struct mu_error *err)
{
	return TARGET_OK;
}

#endif

enum target_result filter_check(const struct target *t, struct mu_error *err)
{
	const uint64_t end_ns = clock_now(CLOCK_PROCESS_CPUTIME_ID) + FILTERS_NS;
	enum target_result result = TARGET_OK;

	for (uint32_t i = 0; i < t->tracee.count && result == TARGET_OK; i++)
		result = check_thread(t->tracee.thread[i].tid, end_ns, err);
	return result;
}
