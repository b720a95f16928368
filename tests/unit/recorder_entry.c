/* recorder_entry.c -- an intercepted function is called as before, with every register and flag
 * as it was; what cannot be intercepted safely is refused with a reason.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/entry.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "libmemusage/base/objects.h"
#include "libmemusage/unwind/cfi.h"
#include "tests/lib/recorder.h"

#if defined(__x86_64__)

#define FUNCTION(name, body)                                                          \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name \
		":\n.cfi_startproc\n" body "\n.cfi_endproc\n.size " #name ", . - " #name  \
		"\n.globl " #name "_end\n" #name "_end:\n");                              \
	uint64_t name(uint64_t a, uint64_t b);                                        \
	extern const char name##_end[];

FUNCTION(plain, "push %rbx\n.cfi_adjust_cfa_offset 8\nlea 7(%rdi,%rsi), %rbx\nmov %rbx, %rax\n"
		"pop %rbx\n.cfi_adjust_cfa_offset -8\nret")
FUNCTION(landing, "endbr64\nmov %rdi, %rax\nsub %rsi, %rax\nret")
FUNCTION(global, "mov datum(%rip), %rax\nadd %rdi, %rax\nret")
FUNCTION(branch, "test %rdi, %rdi\nje 1f\nmov $1, %eax\nret\n1: mov $2, %eax\nret")
FUNCTION(jump, ".byte 0xe9\n.long plain - . - 4")
FUNCTION(carry, "stc\nmov %rdi, %rax\nnop\nnop\nret")
FUNCTION(tried, "lea 2(%rdi,%rsi), %rax\nnop\nret")
/* Of four bytes, which are all moved; padding follows. */
FUNCTION(trap, "xor %eax, %eax\nud2")
FUNCTION(short_one, "xor %eax, %eax\nret")
FUNCTION(calls, "call plain\nadd $1, %rax\nret")
FUNCTION(calls_far, "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\ncall *plain_at(%rip)\n"
		    "add $8, %rsp\n.cfi_adjust_cfa_offset -8\nret")
FUNCTION(pointer, "call *%rdx\nret")
FUNCTION(loops, "mov %rdi, %rax\n1: add $1, %rax\ncmp $100, %rax\njb 1b\nret")
FUNCTION(seventh, "mov %rdi, %rax\nadd %rsi, %rax\nadd 8(%rsp), %rax\nret")
FUNCTION(pushed, "push %rbx\n.cfi_adjust_cfa_offset 8\nmov %rdi, %rax\nadd 16(%rsp), %rax\n"
		 "pop %rbx\n.cfi_adjust_cfa_offset -8\nret")
FUNCTION(local, "sub $24, %rsp\n.cfi_adjust_cfa_offset 24\nmov %rdi, 16(%rsp)\n"
		"mov 16(%rsp), %rax\nadd $24, %rsp\n.cfi_adjust_cfa_offset -24\nret")
FUNCTION(odd, "mov %rdi, %rax\nadd %rsi, %rax\n.byte 0x0f, 0x0f, 0xc0, 0x0d\nret")

/* Too short, and the next function follows at once. */
__asm__(".text\n.p2align 4\n.globl tight, tight_end\n.type tight, @function\n"
	"tight: .cfi_startproc\nret\n.cfi_endproc\n.size tight, . - tight\n"
	"tight_end: .cfi_startproc\nnop\nnop\nnop\nnop\nret\n.cfi_endproc\n");
uint64_t tight(uint64_t a, uint64_t b);
extern const char tight_end[];

uint64_t (*plain_at)(uint64_t, uint64_t) __attribute__((visibility("hidden"))) = plain;
uint64_t datum __attribute__((visibility("hidden"))) = 1000;

static unsigned int befores, afters;
static uint64_t seen, result;
static bool wants_after = true, is_outer;

static bool before(struct entry_call *call)
{
	befores++;
	seen = entry_argument(call, 1) * 1000 + entry_argument(call, 2);
	is_outer = entry_is_outer(call, ENTRY_BUILTIN);
	return wants_after;
}

static void after(struct entry_call *call)
{
	afters++;
	result = call->rax;
	entry_ends(call, ENTRY_BUILTIN);
}

static const char *patch(const void *function, const char *end, bool strict)
{
	struct entry_hook entry = { .before = before,
				    .after = after,
				    .function = (uint64_t)function,
				    .size = (uint64_t)end - (uint64_t)function };
	struct patch p;

	if (!patch_begin(&p))
		skip_all("code cannot be changed here");
	const char *why = entry_patch(&p, &entry, strict ? ENTRY_STRICT : 0);
	patch_end(&p);
	return why;
}

#define TAKES(name) tap_eq_s(patch((const void *)name, name##_end, true), NULL, __FILE__, \
			     __LINE__, #name " is intercepted")
#define REFUSES(name, why) EQ_S(patch((const void *)name, name##_end, true), why)

static void test_calls(void)
{
	TAKES(plain);
	TAKES(landing);
	TAKES(global);
	TAKES(branch);
	TAKES(jump);
	TAKES(local);
	TAKES(short_one);
	TAKES(trap);
	TAKES(calls);
	TAKES(calls_far);
	EQ_U(entry_original((uint64_t)plain) != 0, 1);
	EQ_U(entry_original((uint64_t)odd), 0);
	for (int turn = 0; turn < 2; turn++) {
		befores = afters = 0;
		wants_after = turn == 0;
		EQ_U(plain(1, 2), 10);
		EQ_U(seen, 1002);
		EQ_U(landing(9, 4), 5);
		EQ_U(global(3, 0), 1003);
		EQ_U(branch(0, 0), 2);
		EQ_U(branch(1, 0), 1);
		EQ_U(short_one(77, 0), 0);
		EQ_U(calls(1, 2), 11);
		EQ_U(calls_far(1, 2), 10);
		EQ_U(local(77, 0), 77);
		EQ_U(befores, 11);
		EQ_U(afters, turn == 0 ? 11 : 0);
		EQ_U(is_outer, 1);
		if (turn == 0)
			EQ_U(result, 77);
		EQ_U(jump(1, 1), 9);
		EQ_U(befores, 13);
	}
}

static void test_refusals(void)
{
	REFUSES(tight, "it is too short");
	REFUSES(pointer, "its first instructions call by a pointer");
	REFUSES(loops, "something seems to jump into its first instructions");
	REFUSES(seventh, "it seems to have arguments on the stack");
	REFUSES(pushed, "it seems to have arguments on the stack");
	REFUSES(odd, "it has instructions that are not known");
	EQ_S(patch(&datum, (const char *)(&datum + 1), true), "it is not code");
	EQ_S(patch("text", &"text"[1], true), "it is not code");
}

/* All registers that a call may change hold something; so do flags and vector registers. */
static uint64_t changed(void)
{
	uint64_t bad = 0;

	__asm__ volatile("sub $128, %%rsp\n"
			 "mov $11, %%r11d\nmov $10, %%r10d\nmov $9, %%r9d\nmov $8, %%r8d\n"
			 "mov $7, %%edi\nmov $6, %%esi\nmov $5, %%edx\nmov $4, %%ecx\n"
			 "mov $99, %%eax\nmovq %%rax, %%xmm3\nmovq %%rax, %%xmm15\n"
			 "mov $0x7fffffff, %%eax\nadd $1, %%eax\n" /* overflow, sign */
			 "call carry\n"			    /* and carry */
			 "jno 1f\njns 1f\njnc 1f\n"
			 "cmp $7, %%rax\njne 1f\n"
			 "cmp $11, %%r11\njne 1f\ncmp $10, %%r10\njne 1f\ncmp $9, %%r9\njne 1f\n"
			 "cmp $8, %%r8\njne 1f\ncmp $7, %%rdi\njne 1f\ncmp $6, %%rsi\njne 1f\n"
			 "cmp $5, %%rdx\njne 1f\ncmp $4, %%rcx\njne 1f\n"
			 "movq %%xmm3, %%rax\ncmp $99, %%rax\njne 1f\n"
			 "movq %%xmm15, %%rax\ncmp $99, %%rax\njne 1f\n"
			 "jmp 2f\n"
			 "1: mov $1, %0\n"
			 "2: add $128, %%rsp\n"
			 : "+r"(bad)
			 :
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm3",
			   "xmm15", "cc", "memory");
	return bad;
}

static jmp_buf back;

static void leave(struct entry_call *call)
{
	(void)call;
	longjmp(back, 1);
}

static void test_registers(void)
{
	TAKES(carry);
	wants_after = true;
	EQ_U(changed(), 0);
	wants_after = false;
	EQ_U(changed(), 0);
}

FUNCTION(left, "mov %rdi, %rax\nadd %rsi, %rax\nret")

static void test_longjmp(void)
{
	struct entry_hook entry = { .before = before,
				    .after = leave,
				    .function = (uint64_t)left,
				    .size = (uint64_t)left_end - (uint64_t)left };
	struct patch p;

	patch_begin(&p);
	EQ_S(entry_patch(&p, &entry, ENTRY_STRICT), NULL);
	patch_end(&p);
	wants_after = true;
	if (!setjmp(back))
		left(1, 2);
	memset(__builtin_alloca(4096), 1, 4096);
	is_outer = false;
	plain(1, 2);
	EQ_U(is_outer, 1);
}

static uint64_t room_near(const void *function, const char *end)
{
	return patch_room_near((uint64_t)function, (uint64_t)end, 16);
}

/* What was tried is what is done: no room is taken but the one of the trial. */
static void test_try(void)
{
	struct entry_hook entry = { .before = before,
				    .after = after,
				    .function = (uint64_t)tried,
				    .size = (uint64_t)tried_end - (uint64_t)tried };
	struct patch p;

	patch_begin(&p);
	EQ_S(entry_patch(&p, &entry, ENTRY_TRY), NULL);
	uint64_t room = room_near((const void *)tried, tried_end);
	for (int i = 0; i < 5; i++)
		EQ_S(entry_patch(&p, &entry, ENTRY_TRY), NULL);
	EQ_U(entry_original(entry.function), 0);
	EQ_S(entry_patch(&p, &entry, 0), NULL);
	EQ_U(room_near((const void *)tried, tried_end), room + 16);
	IN_U(entry_original(entry.function), room - 112, room);
	patch_end(&p);
	befores = 0;
	EQ_U(tried(1, 2), 5);
	EQ_U(befores, 1);
}

int main(void)
{
	recorder_image(UINT64_C(1) << 24, MU_CFG_STACKS);
	objects_init();
	cfi_init();
	test_calls();
	test_refusals();
	test_registers();
	test_longjmp();
	test_try();
	return done_testing();
}

#else

int main(void)
{
	skip_all("code is changed on x86-64 only");
}

#endif
