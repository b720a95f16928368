/* view_terminal.c -- The state of the terminal before a view takes it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/view_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void view_terminal_keep(struct view_terminal *t)
{
	t->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (t->fd >= 0 && tcgetattr(t->fd, &t->modes) < 0) {
		close(t->fd);
		t->fd = -1;
	}
}

/* Returns whether the view had the terminal when it ended. */
static bool is_raw(const struct view_terminal *t)
{
	struct termios now;

	return tcgetattr(t->fd, &now) == 0 && (now.c_lflag != t->modes.c_lflag ||
					       now.c_iflag != t->modes.c_iflag ||
					       memcmp(now.c_cc, t->modes.c_cc, sizeof(now.c_cc)));
}

/* Terminals that do not know one of these sequences ignore it.
 * Source  xterm's ctlseqs: DECSET 1049, DECCKM, DECKPNM, DECTCEM, SGR. */
static void give_back(const struct view_terminal *t)
{
	static const char sequences[] =
		"\033[?1049l"	 /* the screen of before */
		"\033[?1l\033>" /* the keys' codes of before */
		"\033[?25h"	 /* the cursor is shown */
		"\033[0m\r";	 /* without colour */

	if (write(t->fd, sequences, sizeof(sequences) - 1) < 0)
		errno = 0;
	tcsetattr(t->fd, TCSADRAIN, &t->modes);
}

void view_terminal_end(struct view_terminal *t, bool is_killed)
{
	/* A process in the background that changes the terminal is stopped. */
	if (t->fd >= 0 && is_killed && tcgetpgrp(t->fd) == getpgrp() && is_raw(t))
		give_back(t);
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}
