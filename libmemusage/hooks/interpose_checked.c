/* interpose_checked.c -- the copying functions under the names of -D_FORTIFY_SOURCE.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/next.h"

/* The real one ends the program if there is no room: it is called as it is. */

#define COPY_BYTES(name, which) \
	EXPORT void *name(void *to, const void *from, size_t n, size_t room) \
	{ \
		copied(which, n); \
		touch_read(from, n); \
		touch_write(to, n); \
		QUIETLY(void *, end, NEXT(name)(to, from, n, room)); \
		return end; \
	}
COPY_BYTES(__memcpy_chk, MU_COPY_MEMCPY)
COPY_BYTES(__memmove_chk, MU_COPY_MEMMOVE)
COPY_BYTES(__mempcpy_chk, MU_COPY_MEMPCPY)

EXPORT void *__memset_chk(void *to, int byte, size_t n, size_t room)
{
	touch_write(to, n);
	return NEXT(__memset_chk)(to, byte, n, room);
}

EXPORT void __explicit_bzero_chk(void *to, size_t n, size_t room)
{
	touch_write(to, n);
	NEXT(__explicit_bzero_chk)(to, n, room);
}

#define COPY_ALL(type, bytes_of, most, name, which) \
	EXPORT type *name(type *to, const type *from, size_t room) \
	{ \
		if (unlikely(is_watching())) { \
			size_t bytes = bytes_of(from, most); \
			touch_copied_text(which, to, bytes, from, bytes, hook_sp()); \
		} \
		QUIETLY(type *, end, NEXT(name)(to, from, room)); \
		return end; \
	}
#define COPY_SOME(type, bytes_of, name, which) \
	EXPORT type *name(type *to, const type *from, size_t n, size_t room) \
	{ \
		if (unlikely(is_watching())) \
			touch_copied_text(which, to, n * sizeof(type), from, bytes_of(from, n), \
					  hook_sp()); \
		QUIETLY(type *, end, NEXT(name)(to, from, n, room)); \
		return end; \
	}
COPY_ALL(char, text_bytes, SIZE_MAX, __strcpy_chk, MU_COPY_STRCPY)
COPY_ALL(char, text_bytes, SIZE_MAX, __stpcpy_chk, MU_COPY_STPCPY)
COPY_SOME(char, text_bytes, __strncpy_chk, MU_COPY_STRNCPY)
COPY_SOME(char, text_bytes, __stpncpy_chk, MU_COPY_STPNCPY)
COPY_ALL(wchar_t, wide_bytes, WIDE_MAX, __wcscpy_chk, MU_COPY_WCSCPY)
COPY_ALL(wchar_t, wide_bytes, WIDE_MAX, __wcpcpy_chk, MU_COPY_WCPCPY)
COPY_SOME(wchar_t, wide_bytes, __wcsncpy_chk, MU_COPY_WCSNCPY)
COPY_SOME(wchar_t, wide_bytes, __wcpncpy_chk, MU_COPY_WCPNCPY)

/* These call memcpy and its kin inside. */
#define COPY_WIDE(name, which) \
	EXPORT wchar_t *name(wchar_t *to, const wchar_t *from, size_t n, size_t room) \
	{ \
		if (!copies.are_seen_inside) \
			copied(which, n * WIDE); \
		touch_read(from, n * WIDE); \
		touch_write(to, n * WIDE); \
		return NEXT(name)(to, from, n, room); \
	}
COPY_WIDE(__wmemcpy_chk, MU_COPY_WMEMCPY)
COPY_WIDE(__wmemmove_chk, MU_COPY_WMEMMOVE)
COPY_WIDE(__wmempcpy_chk, MU_COPY_WMEMPCPY)

EXPORT wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room)
{
	touch_write(to, n * WIDE);
	return NEXT(__wmemset_chk)(to, c, n, room);
}

/* Joining: only accesses matter. */

#define JOIN_ALL(type, touch, most, name) \
	EXPORT type *name(type *to, const type *from, size_t room) \
	{ \
		if (is_touching()) \
			touch(to, from, most); \
		return NEXT(name)(to, from, room); \
	}
#define JOIN_SOME(type, touch, name) \
	EXPORT type *name(type *to, const type *from, size_t n, size_t room) \
	{ \
		if (is_touching()) \
			touch(to, from, n); \
		return NEXT(name)(to, from, n, room); \
	}
JOIN_ALL(char, touch_joined, SIZE_MAX, __strcat_chk)
JOIN_SOME(char, touch_joined, __strncat_chk)
JOIN_ALL(wchar_t, touch_joined_wide, WIDE_MAX, __wcscat_chk)
JOIN_SOME(wchar_t, touch_joined_wide, __wcsncat_chk)
