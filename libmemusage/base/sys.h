/* sys.h -- system calls without libc: errno is not touched, no wrapper is called.
 *
 * A program may interpose open, close or mmap; calling those from inside malloc would
 * recurse into it. Every function here returns what the kernel returns: a value, or
 * -errno. All are async-signal-safe. In a sandbox of the program none makes a system call, unless
 * its comment says so.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/sandbox.h"

/* sys_call_always -- make a system call with up to six arguments, in a sandbox, too.
 *
 * For calls that the program itself makes, and those that libc makes for programs of its kind.
 * Always a part of its caller, without optimisation too: what clone() makes with CLONE_VM returns
 * on the same stack, and would overwrite where this returns to.
 * Returns the kernel's result, -4095..-1 meaning -errno.
 * Source  syscall(2), "Architecture calling conventions".
 */
static inline __attribute__((always_inline)) long sys_call_always(long number, long a, long b,
								  long c, long d, long e, long f)
{
#if defined(__x86_64__)
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#else
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#endif
}

/* sys_call -- make a system call with up to six arguments, or return -ENOSYS in a sandbox. */
static inline __attribute__((always_inline)) long sys_call(long number, long a, long b, long c,
							   long d, long e, long f)
{
	return unlikely(sandbox.is_on) ? -ENOSYS : sys_call_always(number, a, b, c, d, e, f);
}

#define SYS1(n, a) sys_call(n, (long)(a), 0, 0, 0, 0, 0)
#define SYS2(n, a, b) sys_call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(n, a, b, c) sys_call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(n, a, b, c, d) sys_call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS5(n, a, b, c, d, e) \
	sys_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define SYS6(n, a, b, c, d, e, f) \
	sys_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* The same in a sandbox, too: for what the program asked for, and for mappings that go when it
 * forks, or limits or locks its memory: libc maps and unmaps for malloc. */
#define PROGRAM_SYS1(n, a) sys_call_always(n, (long)(a), 0, 0, 0, 0, 0)
#define PROGRAM_SYS2(n, a, b) sys_call_always(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define PROGRAM_SYS3(n, a, b, c) sys_call_always(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define PROGRAM_SYS4(n, a, b, c, d) \
	sys_call_always(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define PROGRAM_SYS5(n, a, b, c, d, e) \
	sys_call_always(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define PROGRAM_SYS6(n, a, b, c, d, e, f) \
	sys_call_always(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* sys_failed -- return whether a result of sys_call() is an error. */
static inline int sys_failed(long result)
{
	return (unsigned long)result > -4096UL;
}

/* sys_gettid -- return the calling thread's id.
 *
 * In a sandbox it is the one that libc has noted: 0 if that was not found in strict mode.
 */
static inline uint32_t sys_gettid(void)
{
	return unlikely(sandbox.is_on) ? sandbox_thread() : (uint32_t)SYS1(SYS_gettid, 0);
}

/* sys_getpid -- return the calling process's id, from the kernel.
 *
 * In a sandbox it is that of the process that began it, or that fork() made since: a child of
 * vfork() or of a raw clone() gets its parent's.
 */
static inline uint32_t sys_getpid(void)
{
	return unlikely(sandbox.is_on) ? sandbox.pid : (uint32_t)SYS1(SYS_getpid, 0);
}

/* sys_yield -- let others run; in a sandbox, wait about as long as that takes. */
static inline void sys_yield(void)
{
	if (likely(!sandbox.is_on)) {
		SYS1(SYS_sched_yield, 0);
		return;
	}
	for (int i = 0; i < 64; i++)
		cpu_pause();
}
