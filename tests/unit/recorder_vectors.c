/* recorder_vectors.c -- what vectors_preserve() calls may change every vector, mask, x87 register: all
 * come back, those that were in use and those that were not, and it takes no more stack than what
 * is in use needs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/vectors.h"

int registers_main(int argc, char **argv);
#define main registers_main
#include "tests/workloads/registers.c"
#undef main

#include "tests/lib/recorder.h"

#ifdef __x86_64__

#include <cpuid.h>

#if defined(__clang__) || __GNUC__ >= 11
#define GENERAL_REGISTERS_ONLY __attribute__((target("general-regs-only")))
#else
#define GENERAL_REGISTERS_ONLY __attribute__((target("no-sse,no-mmx")))
#endif

static uint64_t lowest; /* stack pointer that spoil() had */

/* All bits of all vector registers, the masks, x87 and MXCSR. */
static GENERAL_REGISTERS_ONLY void spoil(void *unused)
{
	static const uint32_t mxcsr = 0x1f80;

	(void)unused;
	lowest = (uint64_t)__builtin_frame_address(0);
	__asm__ volatile("fninit; fldz; fldpi; ldmxcsr %0" : : "m"(mxcsr));
	__asm__ volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
			 "pcmpeqd %xmm\\n, %xmm\\n\n.endr");
	if (level >= AVX)
		__asm__ volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
				 "vinsertf128 $1, %xmm\\n, %ymm\\n, %ymm\\n\n.endr");
	if (level == AVX512)
		__asm__ volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,"
				 "22,23,24,25,26,27,28,29,30,31\n"
				 "vpternlogd $255, %zmm\\n, %zmm\\n, %zmm\\n\n.endr\n"
				 ".irp n,0,1,2,3,4,5,6,7\nkxnorq %k\\n, %k\\n, %k\\n\n.endr");
}

static GENERAL_REGISTERS_ONLY void kept(void)
{
	vectors_preserve(spoil, NULL);
}

static void spoiled(void)
{
	spoil(NULL);
}

/* Which registers a call changes. */
static const char *changed_by(void (*call)(void))
{
	static struct registers before, after;
	static char names[600];

	fill(&before, 5);
	probe(&before, &after, (void *)call, level);
	names[differences(names, &before, &after, FREE_RAX | FREE_CALL)] = '\0';
	return names;
}

/* The registers of AVX and AVX-512 are at their initial values, which the CPU knows by itself: they
 * are not saved, and must be so again. */
static void test_unused(void)
{
	static struct registers before, after, zero;
	long all = level;

	fill(&before, 5);
	if (all == AVX512)
		__asm__ volatile(".irp n,0,1,2,3,4,5,6,7\nkxorq %k\\n, %k\\n, %k\\n\n.endr\n"
				 ".irp n,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
				 "vpxord %zmm\\n, %zmm\\n, %zmm\\n\n.endr");
	if (all >= AVX)
		__asm__ volatile("vzeroall");
	probe(&before, &after, (void *)kept, SSE);
	if (all == AVX512)
		__asm__ volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,"
				 "22,23,24,25,26,27,28,29,30,31\n"
				 "vmovdqu64 %%zmm\\n, 64*\\n(%0)\n.endr\n"
				 ".irp n,0,1,2,3,4,5,6,7\nkmovq %%k\\n, 2048+8*\\n(%0)\n.endr"
				 : : "r"(&after) : "memory");
	else if (all == AVX)
		__asm__ volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
				 "vmovdqu %%ymm\\n, 64*\\n(%0)\n.endr"
				 : : "r"(&after) : "memory");
	for (unsigned i = 0; i < 32; i++) {
		bool is_sse = i < 16;
		if (is_sse)
			EQ_MEM(after.vector[i], before.vector[i], 16);
		if (all >= AVX)
			EQ_MEM(after.vector[i] + (is_sse ? 16 : 0), zero.vector[i], 16);
	}
	EQ_MEM(after.mask, zero.mask, sizeof(zero.mask));
}

static void test_kept(void)
{
	HAS_S(changed_by(spoiled), level == AVX512 ? " k7 x87 mxcsr" : " vector15 x87 mxcsr");
	HAS_S(changed_by(spoiled), " vector0 vector1 ");
	EQ_S(changed_by(kept), "");
}

/* The kernel has switched on what the CPU has: AMX takes 8 KiB, and nobody here uses it. */
static void test_room(void)
{
	uint32_t a, b, c, d;
	uint64_t here = (uint64_t)__builtin_frame_address(0);

	if (!__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & 4)) {
		skip("the CPU does not tell what is in use");
		return;
	}
	if (level >= AVX)
		__asm__ volatile("vzeroall");
	vectors_preserve(spoil, NULL);
	IN_U(here - lowest, 512, 4096);
	if (level == AVX512)
		__asm__ volatile("vpternlogd $255, %%zmm20, %%zmm20, %%zmm20" : : : "memory");
	vectors_preserve(spoil, NULL);
	IN_U(here - lowest, 512, 4096);
}

int main(void)
{
	__builtin_cpu_init();
	level = __builtin_cpu_supports("avx512bw") ? AVX512
	      : __builtin_cpu_supports("avx")	   ? AVX
						   : SSE;
	test_kept();
	test_unused();
	test_kept();
	test_room();
	return done_testing();
}

#else

int main(void)
{
	skip_all("vector registers are kept on x86-64 only");
}

#endif
