/* view_terminal.h -- The state of the terminal before a view takes it.
 *
 * A view that is killed leaves the terminal raw: what is typed is not shown, Enter and Ctrl-C do
 * nothing, and the screen is not the one with the user's commands.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <termios.h>

struct view_terminal {
	int fd;			/* -1: there is none */
	struct termios modes;
};

/* view_terminal_keep -- Notes the state, before the view begins; there may be no terminal. */
void view_terminal_keep(struct view_terminal *t);

/* view_terminal_end -- The view has ended.
 *
 * is_killed  whether it could not give the terminal back itself: that is done then, unless another
 *            process group has the terminal.
 */
void view_terminal_end(struct view_terminal *t, bool is_killed);
