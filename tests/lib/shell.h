/* shell.h -- commands that a unit test needs done.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* shell -- run a command that is given as to printf. Returns whether its status was 0. */
__attribute__((format(printf, 1, 2)))
static bool shell(const char *format, ...)
{
	char command[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command) == 0;
}
