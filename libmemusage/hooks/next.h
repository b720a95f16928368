/* next.h -- the C library's functions behind the interposed ones, and the means to interpose them.
 *
 * An interposed function notes the memory of the caller that it reads and writes, and then calls
 * the real one, which the C library chose for this CPU. That costs no more than a jump and two
 * compared addresses. When accesses are counted, ranges are noted (touch_*); in copy mode, copies
 * are events (copies.h). Both modes never come together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

/* Macros of glibc 2.43 and C23, whose result is const as the argument is. */
#undef memchr
#undef strchr
#undef strpbrk
#undef strrchr
#undef strstr
#undef wcschr
#undef wcspbrk
#undef wcsrchr
#undef wcsstr
#undef wmemchr

#include "libmemusage/base/export.h"
#include "libmemusage/base/quiet.h"
#include "libmemusage/hooks/access_hook.h"
#include "libmemusage/hooks/copies.h"

#include "libmemusage/hooks/libc.def"

#define NEXT_BYTES(X) \
	X(memcpy) X(memmove) X(mempcpy) X(__mempcpy) X(memccpy) X(bcopy) X(memset) X(bzero) \
	X(explicit_bzero) X(memcmp) X(bcmp) X(memchr) X(memrchr) X(rawmemchr) X(memmem)
#define NEXT_STRINGS(X) \
	X(strcpy) X(stpcpy) X(__stpcpy) X(strncpy) X(stpncpy) X(__stpncpy) X(strcat) X(strncat) \
	X(strlcpy) X(strlcat) X(strlen) X(strnlen) X(strcmp) X(strncmp) X(strcasecmp) \
	X(strncasecmp) X(strchr) X(strrchr) X(strchrnul) X(strstr) X(strcasestr) X(strspn) \
	X(strcspn) X(strpbrk) X(__strdup) X(__strndup) X(strcoll)
#define NEXT_WIDE(X) \
	X(wcscpy) X(wcpcpy) X(wcsncpy) X(wcpncpy) X(wcscat) X(wcsncat) X(wcslen) X(wcsnlen) \
	X(wcscmp) X(wcsncmp) X(wcschr) X(wcsrchr) X(wcsstr) X(wcsdup) X(wmemcpy) X(wmemmove) \
	X(wmempcpy) X(wmemset) X(wmemcmp) X(wmemchr)
#define NEXT_CHECKED(X) \
	X(__memcpy_chk) X(__memmove_chk) X(__mempcpy_chk) X(__memset_chk) \
	X(__explicit_bzero_chk) X(__strcpy_chk) X(__stpcpy_chk) X(__strncpy_chk) \
	X(__stpncpy_chk) X(__strcat_chk) X(__strncat_chk) X(__wcscpy_chk) X(__wcpcpy_chk) \
	X(__wcsncpy_chk) X(__wcpncpy_chk) X(__wcscat_chk) X(__wcsncat_chk) X(__wmemcpy_chk) \
	X(__wmemmove_chk) X(__wmempcpy_chk) X(__wmemset_chk)
#define NEXT_FILES(X) \
	X(fread) X(fread_unlocked) X(fwrite) X(fwrite_unlocked) X(fgets) X(fgets_unlocked) \
	X(fputs) X(fputs_unlocked) X(puts) X(getline) X(getdelim) X(__getdelim) X(vsnprintf) \
	X(vsprintf) X(__vsnprintf_chk) X(__vsprintf_chk) X(__fgets_chk) X(__fgets_unlocked_chk) \
	X(__fread_chk) X(__fread_unlocked_chk)
#define NEXT_DESCRIPTORS(X) \
	X(read) X(pread) X(pread64) X(readv) X(preadv) X(preadv64) X(write) X(pwrite) \
	X(pwrite64) X(writev) X(pwritev) X(pwritev64) X(recv) X(recvfrom) X(recvmsg) X(send) \
	X(sendto) X(sendmsg) X(__read_chk) X(__pread_chk) X(__pread64_chk) X(__recv_chk) \
	X(__recvfrom_chk)
#define NEXT_ALL(X) \
	NEXT_BYTES(X) NEXT_STRINGS(X) NEXT_WIDE(X) NEXT_CHECKED(X) NEXT_FILES(X) \
	NEXT_DESCRIPTORS(X)

struct next_libc {
#define NEXT_MEMBER(name) __typeof__(&(name)) name;
	NEXT_ALL(NEXT_MEMBER)
#undef NEXT_MEMBER
};

extern HIDDEN struct next_libc next_functions;

/* next_resolve -- find all of them. Idempotent. */
void next_resolve(void);

/* next_ready -- return the functions, and find them first if that was not done. */
static inline const struct next_libc *next_ready(void)
{
	if (unlikely(!next_functions.memcpy))
		next_resolve();
	return &next_functions;
}

#define NEXT(name) (next_ready()->name)

#define WIDE sizeof(wchar_t)
#define WIDE_MAX (SIZE_MAX / WIDE) /* characters of the longest wide string */

/* touch_read -- count a read of n bytes by the program. */
INLINE void touch_read(const volatile void *place, uint64_t n)
{
	if (n)
		access_hook(place, n, false);
}

/* touch_write -- count a write of n bytes. */
INLINE void touch_write(volatile void *place, uint64_t n)
{
	if (n)
		access_hook(place, n, true);
}

/* is_touching -- return whether accesses are counted: only then are the bytes worth counting that
 * a function looked at. */
INLINE bool is_touching(void)
{
	return rec.flags & MU_CFG_ACCESSES;
}

/* is_watching -- return whether the bytes of a copied string are worth counting. */
INLINE bool is_watching(void)
{
	return is_touching() || copies.are_on;
}

/* copied -- record an event in copy mode. */
#define copied(which, bytes) \
	do { \
		if (unlikely(copies.are_on)) \
			copies_event(which, bytes, hook_sp()); \
	} while (0)

/* own_memcpy -- string.c's memcpy, which the recorder's own objects call. Usable at any time. */
void *own_memcpy(void *to, const void *from, size_t n);

/* QUIETLY -- the result of a real function that may call other copying functions inside: those
 * calls are no copies of their own. */
#define QUIETLY(type, result, call) \
	copies_quiet++; \
	type result = (call); \
	copies_quiet--

/* text_bytes -- return the bytes of a string, its end included, `most` at most. */
size_t text_bytes(const char *text, size_t most);
/* wide_bytes -- likewise for a wide string, in bytes; most is in characters. */
size_t wide_bytes(const wchar_t *text, size_t most);
/* same_bytes -- return how many bytes a comparison of two strings looks at in each. */
size_t same_bytes(const char *a, const char *b, size_t most, bool folds_case);

/* touch_copied_text -- record the copy of `bytes` of a string; what is written beyond them is
 * padding. */
void touch_copied_text(enum mu_copy which, void *to, size_t written, const void *from,
		       size_t bytes, uint64_t sp);

/* touch_joined, touch_joined_wide -- count what appending at most n characters looks at. */
void touch_joined(char *to, const char *from, size_t n);
void touch_joined_wide(wchar_t *to, const wchar_t *from, size_t n);
