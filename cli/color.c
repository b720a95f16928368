/* color.c -- when a program writes colour.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool color_wanted_on_terminal(enum color_when when)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	if (no_color && *no_color)
		return false;
	if (!term || strcmp(term, "dumb") == 0)
		return false;
	return true;
}

bool color_wanted(enum color_when when, int fd)
{
	return color_wanted_on_terminal(when) && (when != COLOR_AUTO || isatty(fd) == 1);
}
