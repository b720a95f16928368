/* stub.c -- libmemusage_hooks.so, with which programs built for counting accesses are linked.
 *
 * Without memusage it does nothing. Under `memusage --accesses=hooks` the recorder's functions of
 * the same names take its place, since preloaded objects come first.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define SAW_READ(address, size) ((void)(address))
#define SAW_WRITE(address, size) ((void)(address))
#define SAW_ATOMIC_READ(address, size) ((void)(address))
#define SAW_ASAN_READ(address, size) ((void)(address))
#define SAW_RANGE_READ(address, size) ((void)(address), (void)(size))
#define SAW_RANGE_WRITE(address, size) ((void)(address), (void)(size))

#include "libmemusage/hooks/entries.def"

/* The recorder looks for this name to see whether a program was built with hooks. */
EXPORT void memusage_hooks_are_linked(void);
EXPORT void memusage_hooks_are_linked(void)
{
}

#define COPY(name, function) \
	EXPORT void *name(void *to, const void *from, size_t size) \
	{ return function(to, from, size); }
COPY(__asan_memcpy, __builtin_memcpy)
COPY(__asan_memmove, __builtin_memmove)
COPY(__tsan_memcpy, __builtin_memcpy)
COPY(__tsan_memmove, __builtin_memmove)
EXPORT void *__asan_memset(void *to, int byte, size_t size)
{
	return __builtin_memset(to, byte, size);
}
EXPORT void *__tsan_memset(void *to, int byte, size_t size)
{
	return __builtin_memset(to, byte, size);
}
