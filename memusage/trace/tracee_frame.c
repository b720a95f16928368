/* tracee_frame.c -- Registers in the form in which the kernel saves them for a signal handler.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/trace/tracee_frame.h"

#if defined(__x86_64__)

#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { SOFTWARE_AT = 464 }; /* in the form of XSAVE: bytes for software */
/* Source  <asm/sigcontext.h> of Linux: struct _fpx_sw_bytes. */
#define EXTENDED_MAGIC1 UINT32_C(0x46505853)
#define EXTENDED_MAGIC2 UINT32_C(0x46505845)
#define FLAGS_OF_SIGNALS 7u /* UC_FP_XSTATE, UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
#define NO_SUCH_FLAG 0x4000 /* of a signal stack: it is left as it is */

/* The value that the kernel returns inside for a call that it repeats. */
enum { RESTART_FIRST = 512, RESTART_LAST = 516 };

static bool is_repeated(const struct user_regs_struct *r)
{
	const int64_t result = -(int64_t)r->rax;

	return (int64_t)r->orig_rax >= 0 && result >= RESTART_FIRST && result <= RESTART_LAST;
}

static bool read_tracee(const struct tracee_thread *thread, uint64_t at, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)at, size };

	return process_vm_readv(thread->tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static bool is_restartable(uint64_t number)
{
	return number == SYS_poll || number == SYS_nanosleep || number == SYS_clock_nanosleep ||
	       number == SYS_futex;
}

/* Until glibc 2.40, and in code of others: `mov $number, %eax; syscall`. */
static uint64_t number_in_code(const struct tracee_thread *thread)
{
	static const unsigned char call[2] = { 0x0f, 0x05 };
	unsigned char code[7];
	uint32_t number;

	if (!read_tracee(thread, thread->regs.rip - sizeof(code), code, sizeof(code)) ||
	    code[0] != 0xb8 || memcmp(code + 5, call, sizeof(call)) != 0)
		return 0;
	memcpy(&number, code + 1, sizeof(number));
	return number;
}

/* From glibc 2.41 on all calls that are points of cancellation are made by one function, which has
 * the number on its stack: `mov N(%rsp), %rax; syscall`. */
static uint64_t number_on_stack(const struct tracee_thread *thread)
{
	static const unsigned char load[4] = { 0x48, 0x8b, 0x44, 0x24 };
	static const unsigned char call[2] = { 0x0f, 0x05 };
	unsigned char code[7];
	uint64_t number;

	if (!read_tracee(thread, thread->regs.rip - sizeof(code), code, sizeof(code)) ||
	    memcmp(code, load, sizeof(load)) != 0 || memcmp(code + 5, call, sizeof(call)) != 0 ||
	    code[4] >= 0x80 ||
	    !read_tracee(thread, thread->regs.rsp + code[4], &number, sizeof(number)))
		return 0;
	return number;
}

/* With several threads, that function calls another, to which it gives the number in %rsi: it loads
 * that at most 16 bytes before the call, `mov N(%rsp), %rsi`. What is called moves all arguments,
 * and ends by `mov %r11, 8(%rsp); syscall`, as nothing else does.
 *
 * Source  sysdeps/unix/sysv/linux/x86_64/syscall_cancel.S of glibc; the code of Debian's 2.41 and
 * 2.43. */
static uint64_t number_of_caller(const struct tracee_thread *thread)
{
	static const unsigned char end[7] = { 0x4c, 0x89, 0x5c, 0x24, 0x08, 0x0f, 0x05 };
	static const unsigned char load[4] = { 0x48, 0x8b, 0x74, 0x24 };
	unsigned char code[21], own[sizeof(end)];
	uint64_t back, number;

	if (!read_tracee(thread, thread->regs.rip - sizeof(own), own, sizeof(own)) ||
	    memcmp(own, end, sizeof(end)) != 0 ||
	    !read_tracee(thread, thread->regs.rsp, &back, sizeof(back)) ||
	    !read_tracee(thread, back - sizeof(code), code, sizeof(code)) || code[16] != 0xe8)
		return 0;
	for (size_t i = 0; i + sizeof(load) < 16; i++) {
		if (memcmp(code + i, load, sizeof(load)) == 0 && code[i + 4] < 0x80 &&
		    read_tracee(thread, thread->regs.rsp + 8 + code[i + 4], &number,
				sizeof(number)))
			return number;
	}
	return 0;
}

/* Returns the number of a call that the kernel makes again. From its second stop on, poll() and its
 * like are a call of the kernel's own, which rt_sigreturn would end with EINTR: only the program
 * still knows the number that it has given. */
static uint64_t number_of_call(const struct tracee_thread *thread)
{
	uint64_t number;

	if (thread->regs.orig_rax != SYS_restart_syscall)
		return thread->regs.orig_rax;
	number = number_in_code(thread);
	if (!is_restartable(number))
		number = number_on_stack(thread);
	if (!is_restartable(number))
		number = number_of_caller(thread);
	return is_restartable(number) ? number : SYS_restart_syscall;
}

bool tracee_frame_repeats(const struct tracee_thread *thread)
{
	return !is_repeated(&thread->regs) || number_of_call(thread) != SYS_restart_syscall;
}

/* The registers as they are when the kernel has made a call again. */
static struct user_regs_struct restarted(const struct tracee_thread *thread)
{
	struct user_regs_struct own = thread->regs;

	if (is_repeated(&own)) {
		own.rip -= 2;
		own.rax = number_of_call(thread);
	}
	return own;
}

void tracee_frame_context(ucontext_t *c, const struct tracee_thread *thread, uint64_t mask,
			  uint64_t extended)
{
	const struct user_regs_struct own = restarted(thread), *r = &own;
	const uint64_t general[] = {
		[REG_R8] = r->r8,   [REG_R9] = r->r9,	[REG_R10] = r->r10, [REG_R11] = r->r11,
		[REG_R12] = r->r12, [REG_R13] = r->r13, [REG_R14] = r->r14, [REG_R15] = r->r15,
		[REG_RDI] = r->rdi, [REG_RSI] = r->rsi, [REG_RBP] = r->rbp, [REG_RBX] = r->rbx,
		[REG_RDX] = r->rdx, [REG_RAX] = r->rax, [REG_RCX] = r->rcx, [REG_RSP] = r->rsp,
		[REG_RIP] = r->rip, [REG_EFL] = r->eflags,
		[REG_CSGSFS] = (r->cs & 0xffff) | (r->ss & 0xffff) << 48,
	};

	memset(c, 0, sizeof(*c));
	c->uc_flags = FLAGS_OF_SIGNALS;
	c->uc_stack.ss_flags = NO_SUCH_FLAG;
	for (size_t i = 0; i < sizeof(general) / sizeof(*general); i++)
		c->uc_mcontext.gregs[i] = (greg_t)general[i];
	c->uc_mcontext.fpregs = (fpregset_t)extended;
	memcpy(&c->uc_sigmask, &mask, sizeof(mask));
}

/* In the form that the kernel leaves for rt_sigreturn: 48 bytes that say how long it is, and a word
 * behind it. */
size_t tracee_frame_extended(unsigned char *to, const struct tracee_thread *thread)
{
	const uint32_t size = (uint32_t)thread->extended_words * 8, whole = size + 4;
	const uint32_t first = EXTENDED_MAGIC1, last = EXTENDED_MAGIC2;
	uint64_t features;

	memcpy(to, thread->extended, size);
	memcpy(&features, to + SOFTWARE_AT, sizeof(features));
	memset(to + SOFTWARE_AT, 0, 48);
	memcpy(to + SOFTWARE_AT, &first, 4);
	memcpy(to + SOFTWARE_AT + 4, &whole, 4);
	memcpy(to + SOFTWARE_AT + 8, &features, 8);
	memcpy(to + SOFTWARE_AT + 16, &size, 4);
	memcpy(to + size, &last, 4);
	return whole;
}

#endif
