/* borrow.c -- A thread of a stopped process, which makes system calls for us and goes home.
 *
 * Order matters: the registers lead home before the signals are blocked, and the signals are
 * unblocked before the registers are those of home.
 *
 * Source  arch/x86/kernel/signal.c of Linux; ptrace(2).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/borrow.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "memusage/common/clock.h"
#include "memusage/trace/tracee_call.h"
#include "memusage/trace/tracee_frame.h"
#include "memusage/trace/tracee_wait.h"

#if defined(__x86_64__)

#define RED_ZONE UINT64_C(128)
#define STACK_NEEDED UINT64_C(32768)
#define ANSWER_NS UINT64_C(5000000000)
#define SIGNAL_NS UINT64_C(500000000)
#define KERNEL_CONTEXT 304u /* bytes of its ucontext, the beginning of libc's */
#define TRAP_FLAG UINT64_C(0x100)
#define PLAIN_FLAGS UINT64_C(0x202)

enum { MERIT_MOST = 4 /* of merit_of() */, SIGNALS_MOST = 64 };

/* ---- one thread -------------------------------------------------------------------------- */

static bool read_registers(pid_t tid, struct user_regs_struct *r)
{
	struct iovec general = { r, sizeof(*r) };

	return ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &general) == 0;
}

static bool write_registers(pid_t tid, const struct user_regs_struct *regs)
{
	struct user_regs_struct copy = *regs;
	struct iovec general = { &copy, sizeof(copy) };

	return ptrace(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &general) == 0;
}

/* Tells whether the room below the stack pointer is the thread's stack. One in the middle of other
 * data, as that of a coroutine, may be small. libc has the structure of a thread, BASE, above its
 * stack; the first thread has a mapping for its own. */
static bool has_stack(const struct target *t, const struct tracee_thread *thread)
{
	const uint64_t sp = tracee_stack(thread), base = tracee_base(thread);
	const struct area *area = address_space_find(&t->maps, sp);

	return area && area->flags & AREA_WRITE && sp - area->start >= STACK_NEEDED &&
	       (thread->tid == t->pid ? strcmp(area->name, "[stack]") == 0 :
					!area->name[0] && base > sp && base < area->end);
}

/* Tells whether it runs in memory of the program's own, which may be for good: all of the program
 * may be a coroutine. A handler on an alternate stack looks the same. */
static bool is_on_own_stack(const struct target *t, const struct tracee_thread *thread)
{
	const struct area *area = address_space_find(&t->maps, tracee_stack(thread));

	return thread->tid == t->pid && area && strcmp(area->name, "[stack]") != 0;
}

/* It is the first of the process only if there is no other, and one whose call would end, should we
 * be killed, only if there is none of these. */
static int merit_of(const struct target *t, const struct tracee_thread *thread)
{
	return 1 + (thread->tid != t->pid ? 2 : 0) + tracee_frame_repeats(thread);
}

/* A thread that was about to get a signal would lose what the signal says. */
static struct tracee_thread *choose_thread(struct target *t)
{
	struct tracee_thread *found = NULL;
	int best = 0;

	for (uint32_t i = 0; i < t->tracee.count && best < MERIT_MOST; i++) {
		struct tracee_thread *thread = &t->tracee.thread[i];
		const int merit = merit_of(t, thread);

		if (merit <= best || thread->signal || !has_stack(t, thread) ||
		    !tracee_can_call(thread))
			continue;
		tracee_read_extended(thread);
		if (!thread->extended)
			continue;
		found = thread;
		best = merit;
	}
	return found;
}

/* Writes the way home below an address of a stack. Returns where it begins, 0 if that fails. */
static uint64_t write_way_home(const struct borrowed *b, uint64_t below)
{
	static unsigned char extended[TRACEE_EXTENDED_MAX + 8];
	const size_t size = tracee_frame_extended(extended, b->thread);
	const uint64_t extended_at = (below - size) & -UINT64_C(64);
	/* As at the first instruction of a handler. */
	const uint64_t at = ((extended_at - KERNEL_CONTEXT - 8) & -UINT64_C(16)) - 8;
	ucontext_t context;

	tracee_frame_context(&context, b->thread, b->mask, extended_at);
	return target_write(b->t, extended_at, extended, size) &&
			       target_write(b->t, at + 8, &context, KERNEL_CONTEXT) &&
			       target_write(b->t, at, &b->t->restorer, sizeof(b->t->restorer)) ?
		       at : 0;
}

static bool lead_home(struct borrowed *b)
{
	struct user_regs_struct r = b->thread->regs;
	const uint64_t all = ~UINT64_C(0);

	r.rip = b->t->gadget;
	r.rsp = b->frame;
	r.rax = SYS_getpid;
	r.orig_rax = ~UINT64_C(0);
	r.eflags &= ~TRAP_FLAG;
	return write_registers(b->thread->tid, &r) &&
	       ptrace(PTRACE_SETSIGMASK, b->thread->tid, (void *)8, &all) == 0;
}

enum target_result borrow_begin(struct borrowed *b, struct target *t, struct mu_error *err)
{
	struct tracee_thread *thread = choose_thread(t);

	*b = (struct borrowed){ .t = t, .thread = thread };
	if (!thread && t->tracee.count == 1 && is_on_own_stack(t, &t->tracee.thread[0])) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "its only thread runs on a stack of its own "
						      "(a coroutine): start it under memusage");
		return TARGET_OWN_STACK;
	}
	if (!thread) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "no thread of it can make a system call now");
		return TARGET_BUSY;
	}
	/* Nor would a program that it has executed be led home. */
	if (target_has_executed(t, thread->tid)) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "it executes another program");
		return TARGET_REFUSED;
	}
	if (ptrace(PTRACE_GETSIGMASK, thread->tid, (void *)8, &b->mask) < 0 ||
	    ptrace(PTRACE_SETOPTIONS, thread->tid, NULL,
		   (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC)) < 0 ||
	    !(b->frame = write_way_home(b, thread->regs.rsp - RED_ZONE)) || !lead_home(b)) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot have it make system calls: %m");
		return TARGET_REFUSED;
	}
	return TARGET_OK;
}

/* ---- system calls ------------------------------------------------------------------------ */

static bool is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
	       signal == SIGSYS;
}

/* Another process traces the thread, or none does. */
static void lose_thread(struct borrowed *b)
{
	b->thread->is_restarted = false;
	b->thread = NULL;
}

/* Another process of its user can have changed the code that the thread runs for us. A program that
 * it executes, perhaps one with the setuid bit, must not get registers that the user chose. */
static bool is_exec(int status)
{
	return status >> 16 == PTRACE_EVENT_EXEC;
}

/* A signal of a stop that it has not ended in cannot be given to it when it is let go. */
static void note_stop_signal(struct borrowed *b, int status)
{
	if (status >> 16 == 0 && WSTOPSIG(status) == SIGSTOP)
		b->thread->is_to_stop = true;
}

/* Lets it run to the beginning or the end of a system call. Only SIGSTOP and SIGKILL are not
 * blocked. */
static bool step_call(struct borrowed *b)
{
	const pid_t tid = b->thread->tid;
	int status;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, tid, NULL, NULL) < 0 ||
		    waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status) ||
		    is_exec(status)) {
			lose_thread(b);
			return false;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			return true;
		if (status >> 16 == 0 && is_fault(WSTOPSIG(status)))
			return false;
		note_stop_signal(b, status);
	}
}

long borrow_call(struct borrowed *b, long number, const uint64_t argument[6])
{
	struct user_regs_struct r;

	if (!b->thread)
		return -ESRCH;
	r = b->thread->regs;
	r.rip = b->t->gadget;
	r.rsp = b->frame;
	r.rax = (uint64_t)number;
	r.orig_rax = ~UINT64_C(0);
	r.rdi = argument[0];
	r.rsi = argument[1];
	r.rdx = argument[2];
	r.r10 = argument[3];
	r.r8 = argument[4];
	r.r9 = argument[5];
	r.eflags &= ~TRAP_FLAG;
	if (!write_registers(b->thread->tid, &r) || !step_call(b) || !step_call(b) ||
	    !read_registers(b->thread->tid, &r))
		return -ESRCH;
	return (long)r.rax;
}

uint64_t borrow_text(const struct borrowed *b, const char *text)
{
	const size_t size = strlen(text) + 1;
	const uint64_t at = (b->frame - RED_ZONE - size) & -UINT64_C(16);

	return b->thread && target_write(b->t, at, text, size) ? at : 0;
}

/* ---- functions --------------------------------------------------------------------------- */

/* Tells whether the thread is in a function that it runs for us. If we were away for so long that
 * it believed us dead, it has gone home. */
static bool is_still_on(const struct borrowed *b, const struct mu_own_mapping *stack)
{
	struct user_regs_struct r;

	return read_registers(b->thread->tid, &r) && r.rsp - stack->start < stack->size;
}

/* At home it gets all its signals. One that it stops for and is not given would be lost, with what
 * the program has sent along; and its call would end with EINTR. A handler begins, and the thread
 * stops at its first instruction: so it can be borrowed again. */
static void take_back(const struct target *t, struct tracee_thread *thread, int status)
{
	for (int i = 0; status != -1; i++) {
		const int signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;

		thread->signal = signal;
		tracee_call_restart(t->pid, thread);
		if (!signal || i == SIGNALS_MOST)
			break;
		tracee_call_settle(t->pid, thread);
		ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL);
		ptrace(PTRACE_CONT, thread->tid, NULL, (void *)(uintptr_t)signal);
		thread->signal = 0;
		status = tracee_wait_stop(thread->tid, SIGNAL_NS);
	}
	tracee_call_read_registers(thread);
}

static bool has_gone_home(struct borrowed *b, const struct mu_own_mapping *stack, int status)
{
	if (!stack || is_still_on(b, stack))
		return false;
	take_back(b->t, b->thread, status);
	b->thread = NULL;
	return true;
}

static bool is_signal(int status)
{
	return status >> 16 == 0 && WSTOPSIG(status) != SIGSTOP;
}

/* Stops it where the kernel would make calls again. Returns false if it is not ours any more.
 * stack  of the function that it may run, NULL none */
static bool stop_thread(struct borrowed *b, const struct mu_own_mapping *stack)
{
	const pid_t tid = b->thread->tid;
	int status;

	for (;;) {
		if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status) ||
		    is_exec(status)) {
			lose_thread(b);
			return false;
		}
		if (status >> 16 == PTRACE_EVENT_STOP) {
			/* The stop of an exec may have been missed. */
			if (target_has_executed(b->t, tid))
				lose_thread(b);
			return b->thread && !has_gone_home(b, stack, status);
		}
		if (is_signal(status) && has_gone_home(b, stack, status))
			return false;
		note_stop_signal(b, status);
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
		ptrace(PTRACE_CONT, tid, NULL, NULL);
	}
}

/* Waits until the function has answered. Returns false if the thread has stopped before. */
static bool await_answer(struct borrowed *b, const struct mu_own_mapping *stack, uint64_t state,
			 uint32_t *answer)
{
	const uint64_t end = clock_now(CLOCK_MONOTONIC) + ANSWER_NS;
	const struct timespec pause = { .tv_nsec = 20000 };
	int status;

	for (;;) {
		pid_t got = waitpid(b->thread->tid, &status, __WALL | WNOHANG);

		if (got < 0 || (got > 0 && (!WIFSTOPPED(status) || is_exec(status)))) {
			lose_thread(b);
			return false;
		}
		if (got > 0 && is_signal(status) &&
		    (has_gone_home(b, stack, status) || is_fault(WSTOPSIG(status))))
			return false;
		if (got > 0) {
			note_stop_signal(b, status);
			ptrace(PTRACE_CONT, b->thread->tid, NULL, NULL);
		}
		if (!target_read(b->t, state, answer, sizeof(*answer))) {
			ptrace(PTRACE_INTERRUPT, b->thread->tid, NULL, NULL);
			stop_thread(b, stack);
			return false;
		}
		if (*answer || clock_now(CLOCK_MONOTONIC) > end)
			return true;
		nanosleep(&pause, NULL);
	}
}

uint32_t borrow_run(struct borrowed *b, uint64_t function, uint64_t argument,
		    const struct mu_own_mapping *stack, uint64_t state, struct mu_error *err)
{
	struct user_regs_struct r = b->thread->regs;
	uint32_t answer = 0;

	r.rip = function;
	r.rdi = argument;
	r.rsp = write_way_home(b, stack->start + stack->size - RED_ZONE);
	r.rbp = 0;
	r.rax = 0;
	r.orig_rax = ~UINT64_C(0);
	r.eflags = PLAIN_FLAGS;
	if (!r.rsp || !write_registers(b->thread->tid, &r) ||
	    ptrace(PTRACE_CONT, b->thread->tid, NULL, NULL) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot begin in it: %m"), 0;
	if (!await_answer(b, stack, state, &answer)) {
		if (b->thread && !read_registers(b->thread->tid, &r))
			r.rip = function;
		return mu_error_set(err, MU_ERROR_SYSTEM, 0,
				    "the recorder failed in it (at its beginning + %lld)",
				    (long long)(r.rip - function)), 0;
	}
	ptrace(PTRACE_INTERRUPT, b->thread->tid, NULL, NULL);
	if (!stop_thread(b, stack))
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "it has ended"), 0;
	if (answer)
		return answer;
	return mu_error_set(err, MU_ERROR_SYSTEM, 0, "the recorder does not answer in it"), 0;
}

void borrow_end(struct borrowed *b)
{
	if (!b->thread)
		return;
	ptrace(PTRACE_INTERRUPT, b->thread->tid, NULL, NULL);
	ptrace(PTRACE_CONT, b->thread->tid, NULL, NULL);
	if (!stop_thread(b, NULL))
		return;
	ptrace(PTRACE_SETSIGMASK, b->thread->tid, (void *)8, &b->mask);
	write_registers(b->thread->tid, &b->thread->regs);
	ptrace(PTRACE_SETOPTIONS, b->thread->tid, NULL, NULL);
	b->thread = NULL;
}

#else

enum target_result borrow_begin(struct borrowed *b, struct target *t, struct mu_error *err)
{
	*b = (struct borrowed){ .t = t };
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "memusage attaches on x86-64 only");
	return TARGET_REFUSED;
}

long borrow_call(struct borrowed *b, long number, const uint64_t argument[6])
{
	return -ENOSYS;
}

uint64_t borrow_text(const struct borrowed *b, const char *text)
{
	return 0;
}

uint32_t borrow_run(struct borrowed *b, uint64_t function, uint64_t argument,
		    const struct mu_own_mapping *stack, uint64_t state, struct mu_error *err)
{
	return 0;
}

void borrow_end(struct borrowed *b)
{
}

#endif
