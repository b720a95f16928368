/* frame_text.h -- Names of code for a terminal: functions, lines, objects.
 *
 * Names have the marks of cli/layout.h: they are written to a stream of layout_open().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "profile/model/position.h"
#include "profile/model/top.h"

/* frame_text_put_function -- Prints the function of a level of a location, shortened.
 *
 * level  NULL: it has no name; its address in its file is printed.
 */
void frame_text_put_function(FILE *out, const struct profile *p, uint32_t location,
			     const struct symbols_level *level);

/* frame_text_put_nameless -- Prints what stands for several functions without a name, those of the
 * program or library of a location: "functions without a name in libfoo.so". */
void frame_text_put_nameless(FILE *out, const struct profile *p, uint32_t location);

/* frame_text_put_line -- Prints the line of a level alone: "parse.c:120"; "[no line]" if it is not
 * known, or LEVEL is NULL. */
void frame_text_put_line(FILE *out, const struct profile *p, const struct symbols_level *level);

/* frame_text_put_level -- Prints the function and its line or object: "parse (parse.c:120)",
 * "qsort in libc.so.6", "0x1234 in libfoo.so". */
void frame_text_put_level(FILE *out, const struct profile *p, uint32_t location,
			  const struct symbols_level *level);

/* frame_text_put_position -- Prints the same for a position; "[unknown]" if at->left is 0. */
void frame_text_put_position(FILE *out, const struct profile *p, const struct position *at);

/* frame_text_put_place -- Prints the name of a place in a grouping: a frame, its function with
 * the source file, that file, or its program or library.
 *
 * group  anything but TOP_FUNCTIONS.
 */
void frame_text_put_place(FILE *out, const struct profile *p, const struct position *at,
			  enum top_kind group);
