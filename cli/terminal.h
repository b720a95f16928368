/* terminal.h -- Text that is safe to show on a terminal.
 *
 * Names of functions, files, programs and arguments come from any file and any process. On a
 * terminal a control character in them is a command: it can rename the window, hide earlier text or
 * answer in the user's place. All text that the programs print for people is checked here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* terminal_character -- the bytes at the beginning of TEXT that are one character, 1 to 4.
 *
 * size      of TEXT, at least 1.
 * is_shown  set to whether a terminal shows it and does nothing else. Not: control characters (C0,
 *           DEL, C1, which may stand as U+0080 to U+009F), what turns the direction of writing or
 *           cannot be seen (U+00AD, U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F,
 *           U+FEFF, tags), and what is not UTF-8, each byte of which is one.
 * Source RFC 3629, section 4; ECMA-48; Unicode's general categories Cc, Cf, Zl and Zp.
 */
size_t terminal_character(const char *text, size_t size, bool *is_shown);

/* terminal_width -- Returns the columns that SIZE bytes of TEXT take on a terminal.
 *
 * East Asian characters and pictograms take two, combining characters none, all others one.
 * Source Unicode's UAX #11, wide and full-width ranges in coarse steps.
 */
unsigned int terminal_width(const char *text, size_t size);

/* terminal_columns -- Returns the width of the terminal FD.
 *
 * fd  -1 allowed.
 * Returns 0 if FD is no terminal; $COLUMNS, or else 80, if the terminal does not know its width.
 */
unsigned int terminal_columns(int fd);

/* terminal_is_cut -- whether the SIZE bytes at TEXT, 1 to 3, may become one character with more. */
bool terminal_is_cut(const char *text, size_t size);

/* terminal_clean -- make LENGTH bytes of TEXT, which may hold zeros, fit for a terminal.
 *
 * Each character that it must not be given becomes '?'; line ends too. Returns the length then,
 * which is not larger; behind it nothing is changed.
 */
size_t terminal_clean(char *text, size_t length);

/* terminal_clean_text -- the same for a text that ends with a zero byte. Returns it. */
char *terminal_clean_text(char *text);

/* terminal_put -- print what terminal_clean() makes of a text. */
void terminal_put(FILE *out, const char *text);
