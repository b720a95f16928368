/* xmalloc.c -- memory for the programs: succeed or die with a message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/xmalloc.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

static void (*leave_process)(void);

void xmalloc_on_failure(void (*leave)(void))
{
	leave_process = leave;
}

/* A request for 0 bytes may return NULL legally; ask for one byte instead of guessing. */
static void *check_allocation(void *p, size_t size)
{
	if (!p && leave_process)
		leave_process();
	if (!p)
		die("cannot get %zu bytes of memory", size);
	return p;
}

void xno_memory(void)
{
	if (leave_process)
		leave_process();
	die("out of memory");
}

void *xmalloc(size_t size)
{
	return check_allocation(malloc(size ? size : 1), size);
}

void *xaligned_alloc(size_t align, size_t size)
{
	return check_allocation(aligned_alloc(align, size), size);
}

void *xcalloc(size_t count, size_t size)
{
	if (count == 0 || size == 0)
		count = size = 1;
	return check_allocation(calloc(count, size), count * size);
}

void *xreallocarray(void *p, size_t count, size_t size)
{
	if (count == 0 || size == 0)
		count = size = 1;
	return check_allocation(reallocarray(p, count, size), count * size);
}

char *xstrdup(const char *text)
{
	return check_allocation(strdup(text), strlen(text) + 1);
}

char *xstrndup(const char *text, size_t length)
{
	return check_allocation(strndup(text, length), length + 1);
}

void *xcheck(void *p)
{
	if (!p)
		xno_memory();
	return p;
}

FILE *xopen_memstream(char **text, size_t *length)
{
	return xcheck(open_memstream(text, length));
}

void xclose_memstream(FILE *stream)
{
	bool is_whole = !ferror(stream);

	if (fclose(stream) != 0 || !is_whole)
		xno_memory();
}

char *xasprintf(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return check_allocation(text, strlen(format));
}
