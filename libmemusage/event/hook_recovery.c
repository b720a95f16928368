/* hook_recovery.c -- detecting that a signal handler left the hook by longjmp.
 *
 * If a call comes while the hook is busy, either a signal handler that interrupted the hook makes
 * it, or the hook was left. In the first case the interrupted frame is still on the stack, and
 * directly below it is the signal frame, which the kernel saved for the handler's return.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/event/hook_recovery.h"

#include <signal.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/readable.h"
#include "libmemusage/base/sys.h"

#define OWN_DEPTH 512		 /* of our frames; a signal frame alone is larger */
#define FRAME_MOST (32u << 10)	 /* bytes below the hook's entry with a signal frame, or more */
#define RETURNS 4
#define NO_FRAME 64u
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

#if defined(__x86_64__)
#define KERNEL_CONTEXT 304u /* bytes of its struct ucontext, shorter than libc's */
#define USER_CS 0x33
#define FP_BYTES 512u /* at least; how many more there are depends on the CPU and the kernel */
#define FP_ALIGN 16u  /* 64 with xsave; without it an emulator takes no more */
#define FP_MAGIC_AT 464u
#define FP_MAGIC 0x46505853u /* FP_XSTATE_MAGIC1, there if uc_flags has UC_FP_XSTATE, 1 */
#endif

/* The struct of rt_sigaction(2), not libc's. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
#if defined(__x86_64__)
	uint64_t restorer; /* where a handler returns to: the word at the end of its frame */
#endif
	uint64_t mask;
};

static struct {
	/* The kernel tells the size of a signal frame with all registers of this CPU: 11 KiB with
	 * AMX. Kernels before 5.14 do not, and have none as large as FRAME_MOST. */
	uint64_t most;
#if defined(__x86_64__)
	uint64_t returns[RETURNS]; /* the return addresses of handlers: libc has one */
#endif
} signal_frames = { .most = FRAME_MOST };

#if defined(__x86_64__)

static bool learn_handler_returns(void)
{
	bool is_new = false;

	for (int number = 1; number <= 64; number++) {
		struct kernel_action action = { 0 };
		int i = 0;
		if (sys_failed(SYS4(SYS_rt_sigaction, number, NULL, &action,
				    sizeof(action.mask))) || !action.restorer)
			continue;
		while (i < RETURNS && signal_frames.returns[i] &&
		       signal_frames.returns[i] != action.restorer)
			i++;
		if (i < RETURNS && !signal_frames.returns[i]) {
			signal_frames.returns[i] = action.restorer;
			is_new = true;
		}
	}
	return is_new;
}

/* Returns whether the return address at `at` belongs to a complete signal frame of code that was
 * interrupted below `entered`. Present frames overwrite parts of an old signal frame, if not its
 * return address.
 * Source: struct rt_sigframe of the kernel, arch/x86. */
static bool is_signal_frame(struct readable_stack *stack, uint64_t at, uint64_t entered)
{
	const ucontext_t *context = (const ucontext_t *)(at + 8);
	const greg_t *registers = context->uc_mcontext.gregs;
	uint64_t sp, fp;

	if (!readable_on_stack(stack, at + KERNEL_CONTEXT))
		return false;
	sp = (uint64_t)registers[REG_RSP];
	fp = (uint64_t)context->uc_mcontext.fpregs;
	/* The hook's code may have no frame of its own: then sp is a little above. */
	if (sp <= at + 8 + KERNEL_CONTEXT || sp > entered + NO_FRAME || fp <= at ||
	    fp & (FP_ALIGN - 1) || fp > sp || sp - fp < FP_BYTES)
		return false;
	return !context->uc_link && registers[REG_RIP] &&
	       (registers[REG_CSGSFS] & 0xffff) == USER_CS &&
	       (!(context->uc_flags & 1) ||
		(readable_on_stack(stack, fp + FP_MAGIC_AT) &&
		 *(const uint32_t *)(fp + FP_MAGIC_AT) == FP_MAGIC));
}

/* In a sandbox the kernel cannot be asked for new ones: there the frame alone must tell. */
static bool is_handler_return(uint64_t word)
{
	for (int i = 0; i < RETURNS && signal_frames.returns[i]; i++)
		if (word == signal_frames.returns[i])
			return true;
	return sandbox.is_on && word;
}

/* Returns whether there may be a signal frame in [low, entered). If it is there, all between it and
 * the interrupted frame is, too: below a gap nothing is looked for. Where the kernel may not be
 * asked, there may be one unless all of it is in the page of `here`. */
static bool may_have_signal_frame(uint64_t here, uint64_t low, uint64_t entered)
{
	struct readable_stack stack = thread_stack_above(here);
	uint64_t top = (entered - KERNEL_CONTEXT - 1) & -UINT64_C(8);

	if (sandbox.is_on && !stack.is_whole && !readable_is_same_page(here, entered + NO_FRAME))
		return true;
	do {
		for (uint64_t at = top; at >= low; at -= 8) {
			if (!readable_on_stack(&stack, at))
				break;
			if (is_handler_return(*(const volatile uint64_t *)at) &&
			    is_signal_frame(&stack, at, entered))
				return true;
		}
	} while (learn_handler_returns());
	return false;
}

bool hook_recovery_interrupted_ours(void)
{
	extern const char __ehdr_start[], etext[] __attribute__((visibility("hidden")));
	uint64_t here = (uint64_t)__builtin_frame_address(0), base = self->pub.stack_base;
	uint64_t end = base - here > FRAME_MOST ? here + FRAME_MOST : base;

	struct readable_stack stack = thread_stack_above(here);

	if (!has_self() || base - here > self->pub.stack_size ||
	    (!signal_frames.returns[0] && !learn_handler_returns() && !sandbox.is_on))
		return false;
	for (uint64_t at = here & -UINT64_C(8); at + KERNEL_CONTEXT < end; at += 8) {
		const ucontext_t *context = (const ucontext_t *)(at + 8);
		if (!readable_on_stack(&stack, at))
			return false; /* the end of a coroutine's stack */
		if (is_handler_return(*(const volatile uint64_t *)at) &&
		    is_signal_frame(&stack, at, base) &&
		    (uint64_t)context->uc_mcontext.gregs[REG_RIP] - (uint64_t)__ehdr_start <
			    (uint64_t)(etext - __ehdr_start))
			return true;
	}
	return false;
}

#else

bool hook_recovery_interrupted_ours(void)
{
	return false;
}

static bool may_have_signal_frame(uint64_t here, uint64_t low, uint64_t high)
{
	(void)here;
	(void)low;
	(void)high;
	return true;
}

#endif

/* With one thread no other can hold a lock, so all are released. With several, waiters give up. */
static void recover_left_hook(struct thread *thread)
{
	if (!(gate.mode & MODE_MANY))
		locks_free_all(rec.image);
	thread->pub.counters.nested++;
	__atomic_store_n(&thread->pub.busy, 0, __ATOMIC_RELEASE);
}

void hook_recovery_init(void)
{
	uint64_t most = 2 * getauxval(AT_MINSIGSTKSZ);

	if (most > signal_frames.most)
		signal_frames.most = most;
}

bool hook_recover(struct thread *thread)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	int32_t below = (int32_t)((thread->pub.busy & ~1u) - (uint32_t)here);

	/* On another stack, most likely a handler's. */
	if (thread->pub.stack_base - here > thread->pub.stack_size)
		return false;
	if (below > OWN_DEPTH) {
		uint64_t entered = here + (uint32_t)below;
		uint64_t low = (uint32_t)below < signal_frames.most ? here
								    : entered - signal_frames.most;
		/* Only half of the address was kept. If the hook was entered on another stack, and
		 * left, it leads anywhere. */
		if (entered <= thread->pub.stack_base && may_have_signal_frame(here, low, entered))
			return false;
	}
	recover_left_hook(thread);
	return true;
}
