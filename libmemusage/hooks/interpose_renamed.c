/* interpose_renamed.c -- what compilers call in place of memcpy and its kin, depending on their
 * version, if they put hooks into a program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/next.h"

#define RENAMED(name, function) \
	EXPORT void *name(void *to, const void *from, size_t n); \
	EXPORT void *name(void *to, const void *from, size_t n) \
	{ \
		copied(MU_COPY_MEMMOVE, n); \
		touch_read(from, n); \
		touch_write(to, n); \
		return NEXT(function)(to, from, n); \
	}
#define RENAMED_SET(name) \
	EXPORT void *name(void *to, int byte, size_t n); \
	EXPORT void *name(void *to, int byte, size_t n) \
	{ \
		touch_write(to, n); \
		return NEXT(memset)(to, byte, n); \
	}
RENAMED(__asan_memcpy, memcpy)
RENAMED(__asan_memmove, memmove)
RENAMED(__tsan_memcpy, memcpy)
RENAMED(__tsan_memmove, memmove)
RENAMED_SET(__asan_memset)
RENAMED_SET(__tsan_memset)
