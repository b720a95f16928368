/* tracee_call.c -- Registers of a stopped thread, and system calls that it makes for us.
 *
 * The thread runs code of the recorder (libmemusage/lifecycle/x86_64/examined_stubs.S). Its
 * registers and signal mask are first put where that code gives them back, as the kernel does for
 * a signal. Each step is such that the thread finds its way back if this process is killed after
 * it: registers are changed before the mask, and the mask is given back before the registers. The
 * thread is never stepped, because the flag for that would stay.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/trace/tracee_call.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "memusage/common/process.h"
#include "memusage/trace/tracee_frame.h"
#include "memusage/trace/tracee_wait.h"

#if defined(__x86_64__)

enum {
	CONTEXT_AT = 16384,	  /* in the stack for the call; below it is the stack itself */
	EXTENDED_AT = CONTEXT_AT + 4096,
	CALL_STOPS = 16
};
#define CALL_NS UINT64_C(30000000000) /* a clone takes 13 s for each 400 GiB that are resident */
#define STOP_NS UINT64_C(500000000)

/* Linux 6.6 and later; older headers do not have it. */
#ifndef NT_X86_SHSTK
#define NT_X86_SHSTK 0x204
#endif

/* ---- registers -------------------------------------------------------------------------- */

void tracee_call_read_general(struct tracee_thread *thread)
{
	struct iovec general = { &thread->regs, sizeof(thread->regs) };

	ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_PRSTATUS, &general);
}

void tracee_call_read_registers(struct tracee_thread *thread)
{
	uint64_t word[TRACEE_EXTENDED_MAX / 8];
	struct iovec extended = { word, sizeof(word) };

	free(thread->extended);
	thread->extended = NULL;
	thread->extended_words = 0;
	tracee_call_read_general(thread);
	if (ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_X86_XSTATE, &extended) < 0 ||
	    extended.iov_len == sizeof(word))
		return;
	thread->extended = xmalloc(extended.iov_len + 8);
	memcpy(thread->extended, word, extended.iov_len);
	thread->extended_words = extended.iov_len / 8;
}

static bool write_registers(pid_t tid, const struct user_regs_struct *regs)
{
	struct user_regs_struct copy = *regs;
	struct iovec general = { &copy, sizeof(copy) };

	return ptrace(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &general) == 0;
}

void tracee_pointers(const struct tracee_thread *thread, uint64_t word[TRACEE_REGISTERS])
{
	const struct user_regs_struct *r = &thread->regs;
	const uint64_t all[TRACEE_REGISTERS] = { r->rax, r->rbx, r->rcx, r->rdx, r->rsi,
						 r->rdi, r->rbp, r->r8,	 r->r9,	 r->r10,
						 r->r11, r->r12, r->r13, r->r14, r->r15 };

	memcpy(word, all, sizeof(all));
}

unsigned int tracee_abi_number(unsigned int i)
{
	static const uint8_t number[TRACEE_REGISTERS] = { 0, 3, 2,  1,	4,  5,	6, 8,
							  9, 10, 11, 12, 13, 14, 15 };

	return number[i];
}

uint64_t tracee_code(const struct tracee_thread *thread)
{
	return thread->regs.rip;
}

uint64_t tracee_stack(const struct tracee_thread *thread)
{
	return thread->regs.rsp;
}

uint64_t tracee_base(const struct tracee_thread *thread)
{
	return thread->regs.fs_base;
}

/* ---- calls for us ----------------------------------------------------------------------- */

#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif
#ifndef PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG
#define PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG 0x4211
#endif
#define USER_CODE 0x33u /* the segment of 64-bit code */

struct rseq_configuration {
	uint64_t address;
	uint32_t size, signature, flags, reserved;
};

struct dispatch_configuration {
	uint64_t mode, selector, offset, size;
};

static bool read_words(pid_t tid, uint64_t at, uint64_t *word, size_t count)
{
	struct iovec to = { word, count * 8 }, from = { (void *)at, count * 8 };

	return process_vm_readv(tid, &to, 1, &from, 1, 0) == (ssize_t)(count * 8);
}

/* The kernel would let the sequence go on though it was interrupted, or begin it elsewhere. */
static bool is_in_sequence(const struct tracee_thread *thread)
{
	struct rseq_configuration c = { .address = 0 };
	uint64_t sequence = 0, part[4];

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, thread->tid, (void *)sizeof(c), &c) <= 0 ||
	    !c.address)
		return false;
	/* Source  struct rseq of <linux/rseq.h>: rseq_cs; struct rseq_cs: start_ip, offset. */
	return read_words(thread->tid, c.address + 8, &sequence, 1) && sequence &&
	       read_words(thread->tid, sequence, part, 4) && thread->regs.rip - part[1] < part[2];
}

/* The program's handler would get the call, as Wine's does; while it is blocked, the kernel ends
 * the program instead. Kernels before 6.4 do not tell. */
static bool has_dispatch(const struct tracee_thread *thread)
{
	struct dispatch_configuration c = { .mode = 0 };

	return ptrace(PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, thread->tid, (void *)sizeof(c),
		      &c) == 0 && c.mode != 0;
}

/* The return from the call would want a token on it. Without one, the kernel answers ENODEV. */
static bool has_shadow_stack(const struct tracee_thread *thread)
{
	uint64_t top;
	struct iovec to = { &top, sizeof(top) };

	return ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_X86_SHSTK, &to) == 0;
}

bool tracee_can_call(const struct tracee_thread *thread)
{
	return thread->regs.cs == USER_CODE && !has_dispatch(thread) &&
	       !has_shadow_stack(thread) && !is_in_sequence(thread);
}

/* ---- calls made again ------------------------------------------------------------------- */

static uint64_t signals_of(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? strtoull(line + strlen(name), NULL, 16) : ~UINT64_C(0);
}

/* Signals that do nothing unless the program has a handler. */
#define IGNORED_SIGNALS \
	(SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH))
#define SIGNAL_BIT(number) (UINT64_C(1) << ((number) - 1))

/* Returns true if a signal waits for the thread that ends its call. In a traced process,
 * signals wait that it ignores, too. */
static bool has_signal(pid_t pid, const struct tracee_thread *thread)
{
	uint64_t waiting, handled;
	char name[64], text[4096];

	snprintf(name, sizeof(name), "task/%d/status", (int)thread->tid);
	process_read_file(pid, name, text, sizeof(text));
	waiting = (signals_of(text, "\nSigPnd:") | signals_of(text, "\nShdPnd:")) &
		  ~signals_of(text, "\nSigBlk:");
	waiting |= thread->signal ? SIGNAL_BIT(thread->signal) : 0;
	handled = signals_of(text, "\nSigCgt:");
	return waiting & (handled | ~(signals_of(text, "\nSigIgn:") | IGNORED_SIGNALS));
}

/* Returns false if no signal waits for the thread, as is nearly always so. It costs a tenth of
 * what the kernel's text of the thread's state does. Only a pthread_kill() beyond
 * RLIMIT_SIGPENDING is in no queue. */
static bool has_queued_signal(pid_t tid)
{
	const struct __ptrace_peeksiginfo_args own = { .nr = 1 };
	const struct __ptrace_peeksiginfo_args shared = {
		.flags = PTRACE_PEEKSIGINFO_SHARED, .nr = 1
	};
	siginfo_t info;

	return ptrace(PTRACE_PEEKSIGINFO, tid, &own, &info) != 0 ||
	       ptrace(PTRACE_PEEKSIGINFO, tid, &shared, &info) != 0;
}

enum call_way { WAY_NONE, WAY_SYSCALL, WAY_INT80 };

/* Returns the instruction before an address. */
static enum call_way way_before(pid_t tid, uint64_t pc)
{
	unsigned char code[2];
	struct iovec to = { code, sizeof(code) }, from = { (void *)(pc - 2), sizeof(code) };

	if (process_vm_readv(tid, &to, 1, &from, 1, 0) != sizeof(code))
		return WAY_NONE;
	return code[0] == 0x0f && code[1] == 0x05 ? WAY_SYSCALL :
	       code[0] == 0xcd && code[1] == 0x80 ? WAY_INT80 : WAY_NONE;
}

/* Source  arch/x86/entry/syscalls/syscall_32.tbl of Linux. */
enum { CLOSE_32 = 6, SOCKETCALL_32 = 102, CONNECT_32 = 362 };

/* The second call of connect() would fail, and that of close() might close another file. */
static bool can_be_repeated(enum call_way way, uint64_t number)
{
	if (way == WAY_INT80)
		return number != CLOSE_32 && number != SOCKETCALL_32 && number != CONNECT_32;
	return way == WAY_SYSCALL && number != SYS_close && number != SYS_connect;
}

static bool read_general(pid_t tid, struct user_regs_struct *r)
{
	struct iovec general = { r, sizeof(*r) };

	return ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &general) == 0;
}

bool tracee_call_is_worker(pid_t tid)
{
	struct user_regs_struct r;

	return read_general(tid, &r) && r.rip == 0 && r.rsp == 0;
}

void tracee_call_restart(pid_t pid, struct tracee_thread *thread)
{
	struct user_regs_struct r;

	thread->is_restarted = false;
	if (!read_general(thread->tid, &r))
		return;
	thread->is_in_call = (int64_t)r.orig_rax >= 0;
	if (!thread->is_in_call || (int64_t)r.rax != -EINTR ||
	    !can_be_repeated(way_before(thread->tid, r.rip), r.orig_rax) ||
	    (thread->signal && has_signal(pid, thread)))
		return;
	/* A signal that waits is looked for later: tracee_call_settle(). */
	thread->call = r.orig_rax;
	r.rip -= 2;
	r.rax = r.orig_rax;
	r.orig_rax = ~UINT64_C(0);
	thread->is_restarted = write_registers(thread->tid, &r);
}

void tracee_call_settle(pid_t pid, struct tracee_thread *thread)
{
	struct user_regs_struct r;

	if (!thread->is_restarted || (!thread->signal && !has_queued_signal(thread->tid)) ||
	    !has_signal(pid, thread) || !read_general(thread->tid, &r))
		return;
	r.rip += 2;
	r.rax = (uint64_t)-EINTR;
	r.orig_rax = thread->call;
	write_registers(thread->tid, &r);
	thread->is_restarted = false;
}

/* ---- finding back ----------------------------------------------------------------------- */

/* Returns a descriptor of the memory that the process has now, whatever it executes then, or -1. */
static int open_memory(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return open(path, O_WRONLY | O_CLOEXEC);
}

/* Word by word, in a thread that stands: where /proc is read-only, and sandboxes bind it so. Whole
 * words are written. */
static bool poke_memory(pid_t tid, uint64_t at, const void *data, size_t size)
{
	for (size_t done = 0; done < size; done += sizeof(long)) {
		long word;

		memcpy(&word, (const char *)data + done, sizeof(word));
		if (ptrace(PTRACE_POKEDATA, tid, (void *)(at + done), (void *)word) < 0)
			return false;
	}
	return true;
}

static bool write_memory(int memory, pid_t tid, uint64_t at, const void *data, size_t size)
{
	return memory < 0 ? poke_memory(tid, at, data, size) :
			    pwrite(memory, data, size, (off_t)at) == (ssize_t)size;
}

/* Puts what the thread needs to find back where the code of the call takes it from. */
static bool save_registers(int memory, const struct tracee_thread *thread,
			   const struct mu_examined *e, uint64_t mask)
{
	static unsigned char extended[TRACEE_EXTENDED_MAX + 8]; /* whole words */
	const pid_t tid = thread->tid;
	ucontext_t context;
	size_t size = tracee_frame_extended(extended, thread);

	tracee_frame_context(&context, thread, mask, e->stack + EXTENDED_AT);
	return write_memory(memory, tid, e->stack + EXTENDED_AT, extended, size) &&
	       write_memory(memory, tid, e->stack + CONTEXT_AT, &context, sizeof(context));
}

/* The memory is opened first, so that it is that of the process which is permitted. */
static bool prepare_call(const struct tracee *t, const struct tracee_thread *thread,
			 const struct mu_examined *e, uint64_t *mask)
{
	const int memory = open_memory(thread->tid);
	struct mu_error ignored;
	const bool is_prepared =
		tracee_is_permitted(t, &ignored) &&
		ptrace(PTRACE_GETSIGMASK, thread->tid, (void *)8, mask) == 0 &&
		save_registers(memory, thread, e, *mask);

	if (memory >= 0)
		close(memory);
	return is_prepared;
}

/* ---- calls ------------------------------------------------------------------------------ */

struct remote_call {
	uint64_t code;	/* address of the recorder's code that makes the call */
	uint64_t number;
	uint64_t argument[4];
	pid_t child;	/* that the call made, 0 none */
	bool has_executed; /* a program, which does not get the registers of the one before */
};

/* Runs a thread whose registers are set from its present stop to the end of a system call. All
 * signals are blocked but SIGSTOP, which is noted, and SIGKILL. */
static bool run_call(pid_t tid, struct remote_call *c, bool *is_to_stop)
{
	int traps = 0;

	for (int i = 0; i < CALL_STOPS; i++) {
		unsigned long message;
		int status;

		if (ptrace(PTRACE_SYSCALL, tid, NULL, NULL) < 0)
			return false;
		status = tracee_wait_stop(tid, CALL_NS);
		if (status == -1) {
			/* It is not our code that it runs. */
			ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
			tracee_wait_stop(tid, STOP_NS);
			return false;
		}
		c->has_executed = status >> 16 == PTRACE_EVENT_EXEC;
		if (c->has_executed)
			return false;
		if (status >> 16 == PTRACE_EVENT_CLONE &&
		    ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message) == 0)
			c->child = (pid_t)message;
		else if (WSTOPSIG(status) == (SIGTRAP | 0x80) && ++traps == 2)
			return true;
		else if (status >> 16 == 0 && WSTOPSIG(status) == SIGSTOP)
			*is_to_stop = true;
	}
	return false;
}

static void set_call(struct user_regs_struct *r, const struct remote_call *c,
		     const struct mu_examined *e)
{
	r->rip = c->code;
	r->rsp = e->stack + CONTEXT_AT;
	r->orig_rax = ~UINT64_C(0);
	r->rax = c->number;
	r->rdi = c->argument[0];
	r->rsi = c->argument[1];
	r->rdx = c->argument[2];
	r->r10 = c->argument[3];
	r->r8 = r->r9 = 0;
}

/* The thread gets its registers back, and stops where the kernel makes calls again. */
static void give_back_registers(struct tracee_thread *thread, const uint64_t *mask)
{
	int status;

	ptrace(PTRACE_SETSIGMASK, thread->tid, (void *)8, mask);
	if (!write_registers(thread->tid, &thread->regs))
		return;
	ptrace(PTRACE_SETOPTIONS, thread->tid, NULL, NULL);
	ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL);
	ptrace(PTRACE_CONT, thread->tid, NULL, NULL);
	status = tracee_wait_stop(thread->tid, CALL_NS);
	if (status != -1 && status >> 16 == 0)
		thread->signal = WSTOPSIG(status);
}

/* Returns the result of the call, a negative error number if it fails. */
static long make_call(const struct tracee *t, struct tracee_thread *thread,
		      const struct mu_examined *e, struct remote_call *c)
{
	struct user_regs_struct r = thread->regs;
	struct iovec general = { &r, sizeof(r) };
	uint64_t mask, all = ~UINT64_C(0);
	long result = -EFAULT;

	if (!prepare_call(t, thread, e, &mask))
		return result;
	set_call(&r, c, e);
	ptrace(PTRACE_SETOPTIONS, thread->tid, NULL,
	       (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC));
	if (!write_registers(thread->tid, &r))
		return result;
	ptrace(PTRACE_SETSIGMASK, thread->tid, (void *)8, &all);
	if (run_call(thread->tid, c, &thread->is_to_stop) &&
	    ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_PRSTATUS, &general) == 0)
		result = (long)r.rax;
	if (!c->has_executed)
		give_back_registers(thread, &mask);
	return result;
}

long tracee_call_clone(const struct tracee *t, struct tracee_thread *thread,
		       const struct mu_examined *e, pid_t *copy)
{
	/* No flag, and no signal at its end. */
	struct remote_call c = { .code = e->clone, .number = SYS_clone };
	long result = make_call(t, thread, e, &c);

	*copy = c.child;
	return result;
}

void tracee_call_reap(const struct tracee *t, struct tracee_thread *thread,
		      const struct mu_examined *e)
{
	struct remote_call c = { .code = e->call,
				 .number = SYS_wait4,
				 .argument = { (uint64_t)process_own_pid(t->copy), 0,
					       __WALL | WNOHANG } };

	make_call(t, thread, e, &c);
}

/* The copy stops before the call, behind it, and before the next one, which would end it: the
 * kernel gives files back when the call is left. */
enum { CLOSE_STOPS = 3 };
static int close_stops;

void tracee_call_close_begin(pid_t copy, const struct tracee_thread *thread,
			     const struct mu_examined *e)
{
	struct remote_call c = { .code = e->clone, .number = __NR_close_range,
				 .argument = { 0, UINT32_MAX } };
	struct user_regs_struct r = thread->regs;

	ptrace(PTRACE_SETOPTIONS, copy, NULL,
	       (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC));
	set_call(&r, &c, e);
	close_stops = 0;
	if (!write_registers(copy, &r) || ptrace(PTRACE_SYSCALL, copy, NULL, NULL) < 0)
		close_stops = CLOSE_STOPS;
}

bool tracee_call_close_go_on(pid_t copy, uint64_t wait_ns)
{
	const struct timespec pause = { .tv_nsec = 20000 };
	const uint64_t end = clock_now(CLOCK_MONOTONIC) + wait_ns;
	int status;

	while (close_stops < CLOSE_STOPS) {
		const pid_t got = waitpid(copy, &status, __WALL | WNOHANG);

		if (got < 0 || (got > 0 && (!WIFSTOPPED(status) ||
					    status >> 16 == PTRACE_EVENT_EXEC)))
			break;
		if (got == 0 && clock_now(CLOCK_MONOTONIC) > end)
			return false;
		if (got == 0)
			nanosleep(&pause, NULL);
		else if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			close_stops++;
		if (got > 0 && close_stops < CLOSE_STOPS)
			ptrace(PTRACE_SYSCALL, copy, NULL, NULL);
	}
	return true;
}

#else

bool tracee_can_call(const struct tracee_thread *thread)
{
	return false;
}

void tracee_call_read_general(struct tracee_thread *thread)
{
}

void tracee_call_read_registers(struct tracee_thread *thread)
{
}

void tracee_pointers(const struct tracee_thread *thread, uint64_t word[TRACEE_REGISTERS])
{
	memset(word, 0, TRACEE_REGISTERS * sizeof(*word));
}

unsigned int tracee_abi_number(unsigned int i)
{
	return i;
}

uint64_t tracee_code(const struct tracee_thread *thread)
{
	return 0;
}

uint64_t tracee_stack(const struct tracee_thread *thread)
{
	return 0;
}

uint64_t tracee_base(const struct tracee_thread *thread)
{
	return 0;
}

bool tracee_call_is_worker(pid_t tid)
{
	return false;
}

void tracee_call_restart(pid_t pid, struct tracee_thread *thread)
{
}

void tracee_call_settle(pid_t pid, struct tracee_thread *thread)
{
}

long tracee_call_clone(const struct tracee *t, struct tracee_thread *thread,
		       const struct mu_examined *e, pid_t *copy)
{
	*copy = 0;
	return -ENOSYS;
}

void tracee_call_close_begin(pid_t copy, const struct tracee_thread *thread,
			     const struct mu_examined *e)
{
}

bool tracee_call_close_go_on(pid_t copy, uint64_t wait_ns)
{
	return true;
}

void tracee_call_reap(const struct tracee *t, struct tracee_thread *thread,
		      const struct mu_examined *e)
{
}

#endif
