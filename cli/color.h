/* color.h -- when a program writes colour, and which.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* In the order of COLOR_WORDS, so that OPT_ENUM stores them directly. */
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

#define COLOR_WORDS "auto|always|never"

/* How reports of places look. Text keeps the colour that the user chose for text; of the 16 colours
 * of terminals only magenta and bright red can be told from black and from white (docs/design.md,
 * "Text on a terminal"), and red is for errors. No meaning is in a colour alone. */
#define COLOR_STRONG "\033[1;35m"	/* shares */
#define COLOR_BAR "\033[35m"
#define COLOR_TITLE "\033[4m"
#define COLOR_NAME "\033[1m"
#define COLOR_PLAIN "\033[0m"

/* color_wanted -- whether to colour what goes to FD.
 *
 * COLOR_AUTO says yes on a terminal, unless TERM is "dumb" or NO_COLOR is set and not empty.
 * An explicit COLOR_ALWAYS or COLOR_NEVER wins over NO_COLOR.
 * Source https://no-color.org
 */
bool color_wanted(enum color_when when, int fd);

/* color_wanted_on_terminal -- The same for something that is shown on a terminal in any case. */
bool color_wanted_on_terminal(enum color_when when);
