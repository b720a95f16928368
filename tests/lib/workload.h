/* workload.h -- what programs to be profiled share: saying their truth without allocating.
 *
 * stdio would allocate a buffer and spoil the truth. A line that begins with "truth" is
 * compared with the report by tests/lib/recorder.sh:
 *
 *	truth malloc calls=100 bytes=1600
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* say -- print one line on standard output, as printf would. At most 500 bytes. */
__attribute__((format(printf, 1, 2), unused)) static void say(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	int length = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (length < 0 || length > (int)sizeof(line) - 2)
		length = 0;
	line[length++] = '\n';
	if (write(1, line, (size_t)length) != length)
		_exit(99);
}

/* check -- end with status 98 and a line unless OK. */
__attribute__((unused)) static void check(int ok, const char *what)
{
	if (ok)
		return;
	say("failed: %s", what);
	_exit(98);
}
