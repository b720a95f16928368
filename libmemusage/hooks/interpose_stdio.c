/* interpose_stdio.c -- what stdio reads from and writes to the caller's memory.
 *
 * Its own buffers are its own business: what goes through them is not counted again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/next.h"

#define READ_ITEMS(name) \
	EXPORT size_t name(void *to, size_t size, size_t count, FILE *file) \
	{ \
		size_t items = NEXT(name)(to, size, count, file); \
		touch_write(to, items * size); \
		return items; \
	}
#define WRITE_ITEMS(name) \
	EXPORT size_t name(const void *from, size_t size, size_t count, FILE *file) \
	{ \
		size_t items = NEXT(name)(from, size, count, file); \
		touch_read(from, items * size); \
		return items; \
	}
#define READ_CHECKED(name) \
	EXPORT size_t name(void *to, size_t room, size_t size, size_t count, FILE *file) \
	{ \
		size_t items = NEXT(name)(to, room, size, count, file); \
		touch_write(to, items * size); \
		return items; \
	}
READ_ITEMS(fread)
READ_ITEMS(fread_unlocked)
WRITE_ITEMS(fwrite)
WRITE_ITEMS(fwrite_unlocked)
READ_CHECKED(__fread_chk)
READ_CHECKED(__fread_unlocked_chk)

static void touch_line(char *line)
{
	if (line && is_touching())
		touch_write(line, NEXT(strlen)(line) + 1);
}

#define READ_LINE(name) \
	EXPORT char *name(char *to, int n, FILE *file) \
	{ \
		char *line = NEXT(name)(to, n, file); \
		touch_line(line); \
		return line; \
	}
#define READ_LINE_CHECKED(name) \
	EXPORT char *name(char *to, size_t room, int n, FILE *file) \
	{ \
		char *line = NEXT(name)(to, room, n, file); \
		touch_line(line); \
		return line; \
	}
READ_LINE(fgets)
READ_LINE(fgets_unlocked)
READ_LINE_CHECKED(__fgets_chk)
READ_LINE_CHECKED(__fgets_unlocked_chk)

static void touch_text(const char *text)
{
	if (is_touching())
		touch_read(text, text_bytes(text, SIZE_MAX));
}

EXPORT int fputs(const char *text, FILE *file)
{
	touch_text(text);
	return NEXT(fputs)(text, file);
}

EXPORT int fputs_unlocked(const char *text, FILE *file)
{
	touch_text(text);
	return NEXT(fputs_unlocked)(text, file);
}

EXPORT int puts(const char *text)
{
	touch_text(text);
	return NEXT(puts)(text);
}

EXPORT ssize_t getline(char **line, size_t *room, FILE *file)
{
	ssize_t length = NEXT(getline)(line, room, file);

	if (length >= 0)
		touch_write(*line, (size_t)length + 1);
	return length;
}

EXPORT ssize_t getdelim(char **line, size_t *room, int end, FILE *file)
{
	ssize_t length = NEXT(getdelim)(line, room, end, file);

	if (length >= 0)
		touch_write(*line, (size_t)length + 1);
	return length;
}

EXPORT ssize_t __getdelim(char **line, size_t *room, int end, FILE *file)
	__attribute__((alias("getdelim")));

/* ---- into memory; the texts among the arguments are not counted --------------------------- */

static int touch_printed(char *to, size_t n, int length, const char *format)
{
	if (!is_touching())
		return length;
	touch_read(format, text_bytes(format, SIZE_MAX));
	if (length >= 0 && n)
		touch_write(to, (size_t)length < n ? (size_t)length + 1 : n);
	return length;
}

EXPORT int vsnprintf(char *to, size_t n, const char *format, va_list args)
{
	return touch_printed(to, n, NEXT(vsnprintf)(to, n, format, args), format);
}

EXPORT int vsprintf(char *to, const char *format, va_list args)
{
	return touch_printed(to, SIZE_MAX, NEXT(vsprintf)(to, format, args), format);
}

EXPORT int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format,
			   va_list args)
{
	int length = NEXT(__vsnprintf_chk)(to, n, flag, room, format, args);

	return touch_printed(to, n, length, format);
}

EXPORT int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list args)
{
	int length = NEXT(__vsprintf_chk)(to, flag, room, format, args);

	return touch_printed(to, SIZE_MAX, length, format);
}

EXPORT int snprintf(char *to, size_t n, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = vsnprintf(to, n, format, args);
	va_end(args);
	return length;
}

EXPORT int sprintf(char *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = vsprintf(to, format, args);
	va_end(args);
	return length;
}

EXPORT int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = __vsnprintf_chk(to, n, flag, room, format, args);
	va_end(args);
	return length;
}

EXPORT int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = __vsprintf_chk(to, flag, room, format, args);
	va_end(args);
	return length;
}
