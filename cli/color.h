/* color.h -- when a program writes colour.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CLI_COLOR_H
#define CLI_COLOR_H

#include <stdbool.h>

/* In the order of COLOR_WORDS, so that OPT_ENUM stores them directly. */
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

#define COLOR_WORDS "auto|always|never"

/* color_wanted -- whether to colour what goes to FD.
 *
 * COLOR_AUTO says yes on a terminal, unless TERM is "dumb" or NO_COLOR is set and not empty.
 * An explicit COLOR_ALWAYS or COLOR_NEVER wins over NO_COLOR.
 * Source https://no-color.org
 */
bool color_wanted(enum color_when when, int fd);

#endif
