/* trace.c -- a log of the recorder's life.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/trace.h"

#include <fcntl.h>
#include <string.h>

#include "libmemusage/base/sys.h"

static char file[256];

void trace_init(const char *path)
{
	if (path)
		strncpy(file, path, sizeof(file) - 1);
}

static size_t format_number(char *to, uint32_t value)
{
	char digits[10];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	for (size_t i = 0; i < n; i++)
		to[i] = digits[n - 1 - i];
	return n;
}

void trace(const char *text)
{
	char line[160] = "memusage ";
	size_t length = strlen(line);
	size_t rest = strlen(text);

	if (!file[0])
		return;
	length += format_number(line + length, sys_getpid());
	line[length++] = ':';
	line[length++] = ' ';
	if (rest > sizeof(line) - length - 1)
		rest = sizeof(line) - length - 1;
	memcpy(line + length, text, rest);
	line[length + rest] = '\n';
	long fd = SYS4(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (sys_failed(fd))
		return;
	SYS3(SYS_write, fd, line, length + rest + 1);
	SYS1(SYS_close, fd);
}
