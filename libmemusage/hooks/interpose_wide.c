/* interpose_wide.c -- wcscpy, wmemcpy and their kin.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/next.h"

#define COPY_ALL(name, which) \
	EXPORT wchar_t *name(wchar_t *to, const wchar_t *from) \
	{ \
		if (unlikely(is_watching())) { \
			size_t bytes = wide_bytes(from, WIDE_MAX); \
			touch_copied_text(which, to, bytes, from, bytes, hook_sp()); \
		} \
		QUIETLY(wchar_t *, end, NEXT(name)(to, from)); \
		return end; \
	}
#define COPY_SOME(name, which) \
	EXPORT wchar_t *name(wchar_t *to, const wchar_t *from, size_t n) \
	{ \
		if (unlikely(is_watching())) \
			touch_copied_text(which, to, n * WIDE, from, wide_bytes(from, n), \
					  hook_sp()); \
		QUIETLY(wchar_t *, end, NEXT(name)(to, from, n)); \
		return end; \
	}
/* These call memcpy and its kin inside. */
#define COPY_MEMORY(name, which) \
	EXPORT wchar_t *name(wchar_t *to, const wchar_t *from, size_t n) \
	{ \
		if (!copies.are_seen_inside) \
			copied(which, n * WIDE); \
		touch_read(from, n * WIDE); \
		touch_write(to, n * WIDE); \
		return NEXT(name)(to, from, n); \
	}

COPY_ALL(wcscpy, MU_COPY_WCSCPY)
COPY_ALL(wcpcpy, MU_COPY_WCPCPY)
COPY_SOME(wcsncpy, MU_COPY_WCSNCPY)
COPY_SOME(wcpncpy, MU_COPY_WCPNCPY)
COPY_MEMORY(wmemcpy, MU_COPY_WMEMCPY)
COPY_MEMORY(wmemmove, MU_COPY_WMEMMOVE)
COPY_MEMORY(wmempcpy, MU_COPY_WMEMPCPY)

EXPORT wchar_t *wcscat(wchar_t *to, const wchar_t *from)
{
	if (is_touching())
		touch_joined_wide(to, from, WIDE_MAX);
	return NEXT(wcscat)(to, from);
}

EXPORT wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t n)
{
	if (is_touching())
		touch_joined_wide(to, from, n);
	return NEXT(wcsncat)(to, from, n);
}

EXPORT wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n)
{
	touch_write(to, n * WIDE);
	return NEXT(wmemset)(to, c, n);
}

EXPORT size_t wcslen(const wchar_t *text)
{
	size_t length = NEXT(wcslen)(text);

	touch_read(text, (length + 1) * WIDE);
	return length;
}

EXPORT size_t wcsnlen(const wchar_t *text, size_t n)
{
	size_t length = NEXT(wcsnlen)(text, n);

	touch_read(text, (length < n ? length + 1 : n) * WIDE);
	return length;
}

/* Up to the first difference, or the end if strings are compared. */
static void touch_compared(const wchar_t *a, const wchar_t *b, size_t n, bool are_strings)
{
	size_t i = 0;

	while (i < n && a[i] == b[i] && (a[i] || !are_strings))
		i++;
	touch_read(a, (i < n ? i + 1 : n) * WIDE);
	touch_read(b, (i < n ? i + 1 : n) * WIDE);
}

EXPORT int wcscmp(const wchar_t *a, const wchar_t *b)
{
	if (is_touching())
		touch_compared(a, b, WIDE_MAX, true);
	return NEXT(wcscmp)(a, b);
}

EXPORT int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	if (is_touching())
		touch_compared(a, b, n, true);
	return NEXT(wcsncmp)(a, b, n);
}

EXPORT int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	if (is_touching())
		touch_compared(a, b, n, false);
	return NEXT(wmemcmp)(a, b, n);
}

static void touch_searched_text(const wchar_t *text, const wchar_t *found)
{
	if (is_touching())
		touch_read(text, found ? (size_t)(found - text + 1) * WIDE :
					 wide_bytes(text, WIDE_MAX));
}

EXPORT wchar_t *wcschr(const wchar_t *text, wchar_t c)
{
	wchar_t *found = NEXT(wcschr)(text, c);

	touch_searched_text(text, found);
	return found;
}

EXPORT wchar_t *wcsrchr(const wchar_t *text, wchar_t c)
{
	touch_searched_text(text, NULL);
	return NEXT(wcsrchr)(text, c);
}

EXPORT wchar_t *wcsstr(const wchar_t *text, const wchar_t *what)
{
	wchar_t *found = NEXT(wcsstr)(text, what);

	touch_searched_text(text, found ? found + NEXT(wcslen)(what) - 1 : NULL);
	touch_searched_text(what, NULL);
	return found;
}

EXPORT wchar_t *wmemchr(const wchar_t *in, wchar_t c, size_t n)
{
	wchar_t *found = NEXT(wmemchr)(in, c, n);

	touch_read(in, (found ? (size_t)(found - in) + 1 : n) * WIDE);
	return found;
}

EXPORT wchar_t *wcsdup(const wchar_t *text)
{
	wchar_t *copy = NEXT(wcsdup)(text);
	size_t bytes = copy && is_watching() ? wide_bytes(text, WIDE_MAX) : 0;

	if (copy && !copies.are_seen_inside)
		copied(MU_COPY_WCSDUP, bytes);
	touch_read(text, bytes);
	touch_write(copy, bytes);
	return copy;
}
