/* arch.h -- the few instructions that C cannot express; another CPU is added here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

/* cpu_pause -- tell the CPU that this is a spin loop. Async-signal-safe. */
static inline void cpu_pause(void)
{
	__asm__ volatile("pause");
}

/* cpu_thread_pointer -- return the address of this thread's control block.
 *
 * x86-64 keeps it in the first word; gcc before 11 has no __builtin_thread_pointer for it.
 * Async-signal-safe.
 */
static inline uint64_t cpu_thread_pointer(void)
{
	uint64_t block;

	__asm__("mov %%fs:0, %0" : "=r"(block));
	return block;
}

/* cpu_ticks -- read the time stamp counter. Not serialising: may be off by some tens of
 * instructions. Async-signal-safe. Cost about 6 ns in a virtual machine. */
static inline uint64_t cpu_ticks(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/* cpu_counter -- return a counter of events that the kernel has given to this thread.
 *
 * number  counts from 0. A counter that was not given faults: see instructions.c.
 * Async-signal-safe. Cost not measured: see instructions.h.
 */
static inline uint64_t cpu_counter(uint32_t number)
{
	uint32_t lo, hi;

	__asm__ volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(number));
	return (uint64_t)hi << 32 | lo;
}

/* cpu_has_shadow_stack -- return whether a shadow stack protects this thread's return addresses.
 *
 * The instruction does nothing where there is none. Async-signal-safe.
 * Source  Intel SDM, RDSSPQ.
 */
static inline bool cpu_has_shadow_stack(void)
{
	uint64_t top = 0;

	__asm__ volatile("rdsspq %0" : "+r"(top));
	return top != 0;
}

/* cpu_is_memcheck -- return whether Valgrind's Memcheck runs this code, which does nothing else.
 *
 * Async-signal-safe.
 * Source  memcheck.h of Valgrind 3.19: VALGRIND_MAKE_MEM_DEFINED, which no other tool answers.
 */
static inline bool cpu_is_memcheck(void)
{
	uint64_t answer = 0;
	const uint64_t request[6] = { 0x4d430002, (uint64_t)&request, sizeof(request) };

	__asm__ volatile("rol $3, %%rdi\n\trol $13, %%rdi\n\trol $61, %%rdi\n\t"
			 "rol $51, %%rdi\n\txchg %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer != 0;
}

/* cpu_stack_pointer_of -- return the stack pointer that a signal interrupted.
 *
 * context  third argument of an SA_SIGINFO handler.
 * Returns  the address. Async-signal-safe.
 * Source   <sys/ucontext.h> of glibc.
 */
#define cpu_stack_pointer_of(context) \
	((uint64_t)((const ucontext_t *)(context))->uc_mcontext.gregs[REG_RSP])

#elif defined(__aarch64__)

static inline void cpu_pause(void)
{
	__asm__ volatile("yield");
}

static inline uint64_t cpu_thread_pointer(void)
{
	return (uint64_t)__builtin_thread_pointer();
}

static inline uint64_t cpu_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* The kernel gives no counter to programs without the setting kernel.perf_user_access, and memusage
 * does not request one here. */
static inline uint64_t cpu_counter(uint32_t number)
{
	(void)number;
	return 0;
}

static inline bool cpu_has_shadow_stack(void)
{
	return false;
}

static inline bool cpu_is_memcheck(void)
{
	const uint64_t request[6] = { 0x4d430002, (uint64_t)&request, sizeof(request) };
	register uint64_t answer __asm__("x3") = 0;
	register const uint64_t *at __asm__("x4") = request;

	__asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\t"
			 "ror x12, x12, #61\n\torr x10, x10, x10"
			 : "+r"(answer)
			 : "r"(at)
			 : "cc", "memory");
	return answer != 0;
}

#define cpu_stack_pointer_of(context) \
	((uint64_t)((const ucontext_t *)(context))->uc_mcontext.sp)

#else
#error "memusage records on x86-64 and aarch64 only"
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
