/* message.c -- what the programs say on standard error, and how they give up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"

enum { LINE_LIMIT = 4096 };

static const char *tool_name = "memusage";
static int failure_status = EXIT_FAILURE;
static __thread struct {
	void (*wait)(void *data);
	void *data;
} held;

/* Nothing can be done about a standard error that does not take the line. */
static void write_whole_text(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t done = write(fd, text, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		text += done;
		length -= (size_t)done;
	}
}

void message_init(const char *tool, int failure)
{
	tool_name = tool;
	failure_status = failure;
}

const char *message_tool(void)
{
	return tool_name;
}

void message_hold(void (*wait)(void *data), void *data)
{
	held.wait = wait;
	held.data = data;
}

void message_wait(void)
{
	if (held.wait)
		held.wait(held.data);
}

void warn_va(const char *format, va_list args)
{
	int saved = errno;
	char line[LINE_LIMIT];
	size_t head, used;
	int n;

	message_wait();
	n = snprintf(line, sizeof(line) / 2, "%s: ", tool_name);
	head = n < 0 ? 0 : (size_t)n;
	if (head >= sizeof(line) / 2)
		head = sizeof(line) / 2 - 1;
	errno = saved;
	n = vsnprintf(line + head, sizeof(line) - 1 - head, format, args);
	used = head + (n < 0 ? 0 : (size_t)n);
	if (used > sizeof(line) - 2)
		used = sizeof(line) - 2;
	used = terminal_clean(line, used);
	line[used++] = '\n';
	write_whole_text(STDERR_FILENO, line, used);
	errno = saved;
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	warn_va(format, args);
	va_end(args);
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	warn_va(format, args);
	va_end(args);
	exit(failure_status);
}
