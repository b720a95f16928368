/* recorder_stale.c -- below the place where the recorder was entered a signal frame is found whatever
 * the size of the state that the kernel saved in it, from none of xsave to twice that of AMX; and
 * none where there is none, or only what one has left.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/event/hook_recovery.c"

#include <sys/mman.h>

#include "tests/lib/recorder.h"

#ifdef __x86_64__

enum { ROOM = 64 << 10, RED_ZONE = 128 };

static uint8_t room[ROOM] __attribute__((aligned(4096)));
static uint64_t *where; /* of the word that the handler returns to */

/* A handler that does nothing: the C library tells the kernel where handlers return to. */
static void on_signal(int number)
{
	(void)number;
}

static uint64_t entered(void)
{
	return (uint64_t)room + ROOM - 512;
}

/* As the kernel does it: the stack pointer less the red zone, the state on 64 or 16 bytes, below it
 * the rest. Returns the saved context. */
static ucontext_t *lay_frame(uint32_t bytes, uint32_t align, bool has_xsave)
{
	uint64_t sp = entered() - 200;
	uint64_t fp = (sp - RED_ZONE - bytes) & -(uint64_t)align;

	memset(room, 0, sizeof(room));
	if (!(fp & 63) && align < 64)
		fp -= align;
	where = (uint64_t *)(((fp - 128 - KERNEL_CONTEXT) & -(uint64_t)16) - 8);
	*where = signal_frames.returns[0];
	ucontext_t *context = (ucontext_t *)(where + 1);
	context->uc_flags = has_xsave;
	context->uc_mcontext.fpregs = (fpregset_t)fp;
	context->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uint64_t)on_signal;
	context->uc_mcontext.gregs[REG_CSGSFS] = USER_CS;
	if (has_xsave)
		*(uint32_t *)(fp + FP_MAGIC_AT) = FP_MAGIC;
	return context;
}

static bool is_found(void)
{
	return may_have_signal_frame((uint64_t)where, (uint64_t)where - 4096, entered());
}

static void test_sizes(void)
{
	/* fxsave, SSE, AVX, AVX-512, with protection keys, AMX, what may come. */
	static const uint32_t bytes[] = { 576, 832, 2432, 2696, 11008, 16384, 22016, 30000 };

	lay_frame(512, 64, false);
	OK(is_found(), "no xsave");
	lay_frame(512, 16, false);
	OK(is_found(), "no xsave, as an emulator lays it");
	for (unsigned i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		ucontext_t *context = lay_frame(bytes[i] + 4, 64, true);
		OK(is_found(), "%u bytes", bytes[i]);
		context->uc_mcontext.gregs[REG_CSGSFS] = 0;
		OK(!is_found(), "... overwritten by other frames since");
	}
}

static void test_none(void)
{
	ucontext_t *context = lay_frame(2700, 64, true);

	*(uint32_t *)((uint64_t)context->uc_mcontext.fpregs + FP_MAGIC_AT) = 0;
	OK(!is_found(), "a state without its mark");
	context = lay_frame(2700, 64, true);
	context->uc_mcontext.gregs[REG_RSP] = (greg_t)entered() + 2 * NO_FRAME;
	OK(!is_found(), "of something that was called before the recorder");
	lay_frame(2700, 64, true);
	*where = 0;
	OK(!is_found(), "nothing");
}

/* A thread whose size is a guess can be on another stack within it, which ends at a gap. */
static void test_gap(void)
{
	ucontext_t *context = lay_frame(16384, 64, true);
	uint64_t at = (uint64_t)where;
	struct readable_stack stack = { .page = at };
	uint64_t gap = (uint64_t)room + ROOM - 8192;

	OK(is_signal_frame(&stack, at, entered()), "a frame");
	context->uc_mcontext.fpregs = (fpregset_t)(gap + 64);
	*(uint32_t *)(gap + 64 + FP_MAGIC_AT) = FP_MAGIC;
	OK(is_signal_frame(&stack, at, entered()), "... whose state is elsewhere");
	mprotect((void *)gap, 4096, PROT_NONE);
	OK(!is_signal_frame(&stack, at, entered()), "... and gone");
	memset(room, 0, ROOM - 8192);
	OK(!may_have_signal_frame((uint64_t)room, (uint64_t)room, entered()),
	   "beyond a gap there is none");
	mprotect((void *)gap, 4096, PROT_READ | PROT_WRITE);
	memset(room, 0, ROOM);
	lay_frame(2432, 64, true);
	OK(is_found(), "one above the gap");
	mprotect((void *)gap, 4096, PROT_NONE);
	OK(may_have_signal_frame((uint64_t)room, (uint64_t)room, entered()), "... is found");
	mprotect((void *)gap, 4096, PROT_READ | PROT_WRITE);
}

/* There the kernel tells neither what is readable nor where handlers return to. */
static void test_sandbox(void)
{
	uint64_t returns = signal_frames.returns[0];

	lay_frame(2432, 64, true);
	self->stack_low = 0;
	sandbox.is_on = true;
	OK(is_found(), "in a sandbox, on a stack that is not known, there may be one");
	memset(room, 0, sizeof(room));
	OK(may_have_signal_frame(entered() - 4096, entered() - 4096, entered()),
	   "... also if only the interrupted frame is in another page");
	OK(!may_have_signal_frame(entered() - 1024, entered() - 1024, entered()),
	   "... but in a page that is known there is none");
	lay_frame(2432, 64, true);
	self->stack_low = (uint64_t)room;
	self->pub.stack_base = (uint64_t)room + ROOM;
	OK(is_found(), "... on one that is known");
	signal_frames.returns[0] = 0;
	OK(is_found(), "... with a return address that is not known");
	memset(room, 0, ROOM);
	OK(!is_found(), "... without a frame none");
	sandbox.is_on = false;
	signal_frames.returns[0] = returns;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	readable_init();
	sigaction(SIGUSR1, &action, NULL);
	OK(learn_handler_returns() && signal_frames.returns[0],
	   "the kernel knows where handlers return to");
	test_sizes();
	test_none();
	test_gap();
	test_sandbox();
	signal_frames.most = 1;
	hook_recovery_init();
	OK(signal_frames.most != 1 || !getauxval(AT_MINSIGSTKSZ), "the kernel's figure is taken");
	return done_testing();
}

#else

int main(void)
{
	skip_all("signal frames are looked for on x86-64 only");
}

#endif
