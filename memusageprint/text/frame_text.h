/* frame_text.h -- Names of code for a terminal: functions, lines, objects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_FRAME_TEXT_H
#define MEMUSAGEPRINT_TEXT_FRAME_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "profile/model/attribution.h"

/* frame_text_put_function -- Prints the function of a level of a location, shortened.
 *
 * level  NULL: it has no name; its address in its file is printed.
 */
void frame_text_put_function(FILE *out, const struct profile *p, uint32_t location,
			     const struct symbols_level *level);

/* frame_text_put_level -- Prints the function and its line or object: "parse (parse.c:120)",
 * "qsort in libc.so.6", "0x1234 in libfoo.so". */
void frame_text_put_level(FILE *out, const struct profile *p, uint32_t location,
			  const struct symbols_level *level);

/* frame_text_put_position -- Prints the same for a position; "[unknown]" if at->left is 0. */
void frame_text_put_position(FILE *out, const struct profile *p, const struct position *at);

#endif
