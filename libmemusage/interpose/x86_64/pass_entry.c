/* pass_entry.c -- what malloc and its kin jump to with --sample or --start-paused.
 *
 * With samples, or while the process is asleep, nearly every call is the real function's, which is
 * then the last thing done: no stack frame, and no look at what it returns. passthrough.c makes the
 * jumps to here. It also changes the jumps at leave_NAME to lead straight to libc, because one
 * through a pointer costs 0.5 ns more.
 *
 * Assembly, since a compiler needs half as many instructions again for the same in C, which is
 * sampling_pass() and sample_filter_may_have(). interpose_pass.c has all other cases.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stddef.h>

#include "libmemusage/base/real.h"
#include "libmemusage/image/probes.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/interpose/pass.h"
#include "libmemusage/pages/passthrough.h"
#include "libmemusage/tables/sample_filter.h"

/* Arguments and results are those of the function of libc. One that begins in the middle of a line
 * of the cache costs 0.3 ns more. */
#define NAKED static __attribute__((naked, used, aligned(64)))

/* Six bytes, of which passthrough.c can make a jump to an address near by. */
#define LEAVE(name, function)                             \
	".globl leave_" #name "\n\t"                      \
	".hidden leave_" #name "\n"                       \
	"leave_" #name ":\n\t"                            \
	"jmp *real+%c[" #function "](%%rip)\n"

#define REAL(function) [function] "i"(offsetof(struct real, function))
#define LIMIT [limit] "i"(offsetof(struct gate, sample_limit))
#define SAMPLES [samples] "i"(offsetof(struct gate, samples))
#define THREAD(fn)                                                                        \
	[busy] "i"(offsetof(struct thread, pub.busy)),                                    \
	[left] "i"(offsetof(struct thread, sample_left)),                                 \
	[calls] "i"(offsetof(struct thread, pub.counters.calls) + (fn) * sizeof(uint64_t)), \
	[bytes] "i"(offsetof(struct thread, pub.counters.bytes) + (fn) * sizeof(uint64_t)), \
	[sizes] "i"(offsetof(struct thread, pub.counters.hist_low))

/* Eleven bytes, of which passthrough.c makes one instruction. */
#define LOAD_SELF(name)                                                                   \
	".globl self_in_" #name "\n\t"                                                    \
	".hidden self_in_" #name "\n"                                                     \
	"self_in_" #name ":\n\t"                                                          \
	"mov self@gottpoff(%%rip), %%rdx\n\t"                                             \
	"mov %%fs:(%%rdx), %%rdx\n\t"

/* sampling_pass() of `size` bytes in a register. While the gate is shut the limit is 0, so that it
 * needs no test of its own. The comparison with the limit leaves a carry, which is the 1 in
 * left - size - 1. */
#define PASS(name, size, left)                                                            \
	LOAD_SELF(name)                                                                   \
	"cmpl $0, %c[busy](%%rdx)\n\t"                                                    \
	"jne 1f\n\t"                                                                      \
	"cmp gate+%c[limit](%%rip), " size "\n\t"                                         \
	"jae 1f\n\t"                                                                      \
	"mov %c[left](%%rdx), " left "\n\t"                                               \
	"sbb " size ", " left "\n\t"                                                      \
	"js 1f\n\t"                                                                       \
	"mov " left ", %c[left](%%rdx)\n\t"                                               \
	"incq %c[calls](%%rdx)\n\t"                                                       \
	"add " size ", %c[bytes](%%rdx)\n\t"

_Static_assert(MU_HIST_STEP == 16, "the shifts below");

NAKED void pass_malloc(void)
{
	__asm__(PASS(pass_malloc, "%%rdi", "%%rax")
		"mov %%edi, %%eax\n\t"
		"shr $4, %%eax\n\t"
		"incq %c[sizes](%%rdx,%%rax,8)\n"
		LEAVE(pass_malloc, malloc)
		"1:	jmp passed_malloc"
		: : REAL(malloc), LIMIT, THREAD(MU_FN_MALLOC));
}

NAKED void pass_calloc(void)
{
	__asm__("mov %%rdi, %%rax\n\t"
		"mul %%rsi\n\t"
		"jo 1f\n\t"
		PASS(pass_calloc, "%%rax", "%%rcx")
		"shr $4, %%eax\n\t"
		"incq %c[sizes](%%rdx,%%rax,8)\n"
		LEAVE(pass_calloc, calloc)
		"1:	jmp passed_calloc"
		: : REAL(calloc), LIMIT, THREAD(MU_FN_CALLOC));
}

_Static_assert(SAMPLE_FILTER_LOG2 == 18 && SAMPLE_PLACE_MOST == 15, "masks and shifts below");

/* A page without sampled blocks has a byte below gate.samples, unless the gate is shut. */
NAKED void pass_free(void)
{
	__asm__("mov %%edi, %%eax\n\t"
		"shr $12, %%eax\n\t"
		"lea sample_filter(%%rip), %%rdx\n\t"
		"movzbl (%%rdx,%%rax), %%eax\n\t"
		"cmp gate+%c[samples](%%rip), %%al\n\t"
		"jae 2f\n"
		"3:	"
		LOAD_SELF(pass_free)
		"incq %c[calls](%%rdx)\n"
		LEAVE(pass_free, free)
		"2:	cmpb $0, gate+%c[samples](%%rip)\n\t"
		"je 1f\n\t"
		"mov %%rdi, %%rcx\n\t"
		"shr $20, %%rcx\n\t"
		"xor %%rdi, %%rcx\n\t"
		"shr $4, %%ecx\n\t"
		"mov %%ecx, %%eax\n\t"
		"shr %%eax\n\t"
		"and $0x1ffff, %%eax\n\t"
		"movzbl %c[places](%%rdx,%%rax), %%eax\n\t"
		"and $1, %%ecx\n\t"
		"shl $2, %%ecx\n\t"
		"shr %%cl, %%eax\n\t"
		"test $15, %%al\n\t"
		"jz 3b\n"
		"1:	jmp passed_free"
		: : REAL(free), SAMPLES, THREAD(MU_FN_FREE),
		    [places] "i"(offsetof(struct sample_filter, places)));
}

/* is_asleep() */
#define IF_AWAKE(otherwise)                                                               \
	"mov rec+%c[awake](%%rip), %%rax\n\t"                                             \
	"cmpl $0, (%%rax)\n\t"                                                            \
	"jne " otherwise "\n\t"                                                           \
	"cmpl $0, probe_semaphores(%%rip)\n\t"                                            \
	"jne " otherwise "\n"

#define AWAKE [awake] "i"(offsetof(struct recorder, awake))

NAKED void asleep_malloc(void)
{
	__asm__(IF_AWAKE("pass_malloc") LEAVE(asleep_malloc, malloc) : : REAL(malloc), AWAKE);
}

NAKED void asleep_calloc(void)
{
	__asm__(IF_AWAKE("pass_calloc") LEAVE(asleep_calloc, calloc) : : REAL(calloc), AWAKE);
}

NAKED void asleep_realloc(void)
{
	__asm__(IF_AWAKE("rest_of_realloc") LEAVE(asleep_realloc, realloc)
		: : REAL(realloc), AWAKE);
}

NAKED void asleep_free(void)
{
	__asm__(IF_AWAKE("pass_free") LEAVE(asleep_free, free) : : REAL(free), AWAKE);
}

#define ENTRY(name, of, takes_block)                                             \
	__asm__(".globl entry_of_" #name "\n\t.hidden entry_of_" #name "\n\t" \
		".set entry_of_" #name ", " #name);
SAMPLED_FUNCTIONS(ENTRY)
SLEEPING_FUNCTIONS(ENTRY)
