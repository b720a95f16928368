/* screen.h -- The terminal of a live view.
 *
 * screen_curses.c needs ncurses with wide characters; without it screen_none.c takes its place.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusageprint/live/layout.h"

/* screen_open -- Takes the terminal of this process, /dev/tty, over.
 *
 * has_color  false: bold and reverse only.
 * Returns 0, or -1 after a message that says what else can be done.
 */
int screen_open(bool has_color);

/* screen_size -- Returns the size of the terminal now. */
struct live_size screen_size(void);

/* screen_show -- Shows the lines of layout_lines() for that size. */
void screen_show(char *const *line, const struct live_size *size);

/* screen_fd -- Returns a descriptor that is readable when there is a key. */
int screen_fd(void);

/* screen_key -- Returns the next key (enum live_key), LIVE_KEY_NONE if there is none. */
int screen_key(void);

/* screen_close -- Gives the terminal back as it was. Accepts a second call. */
void screen_close(void);
