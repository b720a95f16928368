/* interpose_string.c -- strcpy, strlen and their kin.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/next.h"
#include "libmemusage/interpose/next_strdup.h"

/* The first copies up to the end of the string, the second n bytes: what it pads with zeros is
 * written, not copied. */
#define COPY_ALL(name, which) \
	EXPORT char *name(char *to, const char *from) \
	{ \
		if (unlikely(is_watching())) { \
			size_t bytes = text_bytes(from, SIZE_MAX); \
			touch_copied_text(which, to, bytes, from, bytes, hook_sp()); \
		} \
		QUIETLY(char *, end, NEXT(name)(to, from)); \
		return end; \
	}
#define COPY_SOME(name, which) \
	EXPORT char *name(char *to, const char *from, size_t n) \
	{ \
		if (unlikely(is_watching())) \
			touch_copied_text(which, to, n, from, text_bytes(from, n), hook_sp()); \
		QUIETLY(char *, end, NEXT(name)(to, from, n)); \
		return end; \
	}

COPY_ALL(strcpy, MU_COPY_STRCPY)
COPY_ALL(stpcpy, MU_COPY_STPCPY)
COPY_ALL(__stpcpy, MU_COPY_STPCPY)
COPY_SOME(strncpy, MU_COPY_STRNCPY)
COPY_SOME(stpncpy, MU_COPY_STPNCPY)
COPY_SOME(__stpncpy, MU_COPY_STPNCPY)

/* glibc has it since 2.38; a program that finds ours where there is none gets the same. */
EXPORT size_t strlcpy(char *to, const char *from, size_t room)
{
	size_t length = NEXT(strlen)(from);
	size_t bytes = length < room ? length + 1 : room;

	copied(MU_COPY_STRLCPY, bytes);
	touch_read(from, length + 1);
	touch_write(to, bytes);
	if (NEXT(strlcpy))
		return NEXT(strlcpy)(to, from, room);
	if (room) {
		NEXT(memmove)(to, from, bytes - 1);
		to[bytes - 1] = '\0';
	}
	return length;
}

EXPORT size_t strlcat(char *to, const char *from, size_t room)
{
	size_t length = NEXT(strnlen)(to, room);

	if (NEXT(strlcat))
		return NEXT(strlcat)(to, from, room);
	return length + (length < room ? strlcpy(to + length, from, room - length)
				       : NEXT(strlen)(from));
}

/* DHAT does not take joining for copying. */
EXPORT char *strcat(char *to, const char *from)
{
	if (is_touching())
		touch_joined(to, from, SIZE_MAX);
	return NEXT(strcat)(to, from);
}

EXPORT char *strncat(char *to, const char *from, size_t n)
{
	if (is_touching())
		touch_joined(to, from, n);
	return NEXT(strncat)(to, from, n);
}

EXPORT size_t strlen(const char *text)
{
	size_t length = NEXT(strlen)(text);

	touch_read(text, length + 1);
	return length;
}

EXPORT size_t strnlen(const char *text, size_t n)
{
	size_t length = NEXT(strnlen)(text, n);

	touch_read(text, length < n ? length + 1 : n);
	return length;
}

static void touch_compared(const char *a, const char *b, size_t n, bool folds_case)
{
	size_t bytes = same_bytes(a, b, n, folds_case);

	touch_read(a, bytes);
	touch_read(b, bytes);
}

#define COMPARE_ALL(name, folds_case) \
	EXPORT int name(const char *a, const char *b) \
	{ \
		if (is_touching()) \
			touch_compared(a, b, SIZE_MAX, folds_case); \
		return NEXT(name)(a, b); \
	}
#define COMPARE_SOME(name, folds_case) \
	EXPORT int name(const char *a, const char *b, size_t n) \
	{ \
		if (is_touching()) \
			touch_compared(a, b, n, folds_case); \
		return NEXT(name)(a, b, n); \
	}

COMPARE_ALL(strcmp, false)
COMPARE_ALL(strcoll, false)
COMPARE_ALL(strcasecmp, true)
COMPARE_SOME(strncmp, false)
COMPARE_SOME(strncasecmp, true)

EXPORT char *strchr(const char *text, int c)
{
	char *found = NEXT(strchr)(text, c);

	if (is_touching())
		touch_read(text, found ? (size_t)(found - text) + 1 : text_bytes(text, SIZE_MAX));
	return found;
}

EXPORT char *strrchr(const char *text, int c)
{
	if (is_touching())
		touch_read(text, text_bytes(text, SIZE_MAX));
	return NEXT(strrchr)(text, c);
}

EXPORT char *strchrnul(const char *text, int c)
{
	char *found = NEXT(strchrnul)(text, c);

	touch_read(text, (size_t)(found - text) + 1);
	return found;
}

static void touch_searched(const char *text, const char *what, const char *found)
{
	size_t length = NEXT(strlen)(what);

	touch_read(text, found ? (size_t)(found - text) + length : text_bytes(text, SIZE_MAX));
	touch_read(what, length + 1);
}

EXPORT char *strstr(const char *text, const char *what)
{
	char *found = NEXT(strstr)(text, what);

	if (is_touching())
		touch_searched(text, what, found);
	return found;
}

EXPORT char *strcasestr(const char *text, const char *what)
{
	char *found = NEXT(strcasestr)(text, what);

	if (is_touching())
		touch_searched(text, what, found);
	return found;
}

EXPORT size_t strspn(const char *text, const char *set)
{
	size_t length = NEXT(strspn)(text, set);

	touch_read(text, length + 1);
	if (is_touching())
		touch_read(set, text_bytes(set, SIZE_MAX));
	return length;
}

EXPORT size_t strcspn(const char *text, const char *set)
{
	size_t length = NEXT(strcspn)(text, set);

	touch_read(text, length + 1);
	if (is_touching())
		touch_read(set, text_bytes(set, SIZE_MAX));
	return length;
}

EXPORT char *strpbrk(const char *text, const char *set)
{
	char *found = NEXT(strpbrk)(text, set);

	if (is_touching()) {
		touch_read(text, found ? (size_t)(found - text) + 1 : text_bytes(text, SIZE_MAX));
		touch_read(set, text_bytes(set, SIZE_MAX));
	}
	return found;
}

/* Both copy by memcpy inside. */
static void record_duplicate(enum mu_copy which, char *copy, const char *from, size_t n,
			     uint64_t sp)
{
	if (!copy)
		return;
	size_t length = NEXT(strnlen)(from, n);
	if (copies.are_on && !copies.are_seen_inside)
		copies_event(which, length + 1, sp);
	touch_read(from, length < n ? length + 1 : n);
	touch_write(copy, length + 1);
}

#define DUPLICATE(name, copy_of) \
	EXPORT char *name(const char *text) \
	{ \
		char *copy = copy_of; \
		if (is_watching()) \
			record_duplicate(MU_COPY_STRDUP, copy, text, SIZE_MAX, hook_sp()); \
		return copy; \
	}
#define DUPLICATE_SOME(name, copy_of) \
	EXPORT char *name(const char *text, size_t n) \
	{ \
		char *copy = copy_of; \
		if (is_watching()) \
			record_duplicate(MU_COPY_STRNDUP, copy, text, n, hook_sp()); \
		return copy; \
	}
DUPLICATE(strdup, next_strdup(text, hook_sp()))
DUPLICATE(__strdup, NEXT(__strdup)(text))
DUPLICATE_SOME(strndup, next_strndup(text, n, hook_sp()))
DUPLICATE_SOME(__strndup, NEXT(__strndup)(text, n))
