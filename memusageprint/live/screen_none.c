/* screen_none.c -- A build without ncurses has no live view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/screen.h"

#include "cli/message.h"

int screen_open(bool has_color)
{
	warn("this build has no live view, because ncurses was missing: install libncurses-dev "
	     "and build again, or add --once for a text");
	return -1;
}

struct live_size screen_size(void)
{
	return (struct live_size){ .width = 80, .height = 24 };
}

void screen_show(char *const *line, const struct live_size *size)
{
}

int screen_fd(void)
{
	return -1;
}

int screen_key(void)
{
	return LIVE_KEY_CLOSED;
}

void screen_close(void)
{
}
