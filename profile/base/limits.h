/* limits.h -- what a process that reads hostile files may use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* Set in builds with a sanitizer that reserves terabytes of address space. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITS_HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIMITS_HAS_SHADOW 1
#endif
#endif
#ifndef LIMITS_HAS_SHADOW
#define LIMITS_HAS_SHADOW 0
#endif

/* limits_set -- the limit of RESOURCE, at most the hard one. Source: setrlimit(2). */
void limits_set(int resource, uint64_t value);

/* limits_lower -- the same, unless the limit is lower already. */
void limits_lower(int resource, uint64_t value);

/* limits_raise_stack -- gives this process 8 MiB of stack, which its reader of debug information
 * needs, if its limit is lower: that of a user is for the programs that are profiled. A hard limit
 * that cannot be raised stays. The stack grows as far as there is room below it.
 *
 * Source: setrlimit(2), RLIMIT_STACK; Linux, arch/x86/mm/mmap.c (128 MiB at least are left free).
 */
void limits_raise_stack(void);

/* limits_memory -- at most so many bytes of address space more than now, less if that is the limit.
 *
 * Nothing happens under a sanitizer, which reserves terabytes, and where /proc does not say how
 * much there is.
 */
void limits_memory(uint64_t more);
