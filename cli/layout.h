/* layout.h -- Lays out reports for the width and the colours of a terminal.
 *
 *	FILE *page = layout_open(out, layout_style_for(fd, 0, COLOR_AUTO));
 *
 *	fprintf(page, "%11s  " LAYOUT_TEXT "called by ", figures);
 *	fprintf(page, LAYOUT_FRAME "%s" LAYOUT_FRAME_LINE " (%s:%u)" LAYOUT_FRAME_END, ...);
 *	fclose(page);
 *
 * A report writes whole lines, with marks in them that say what may happen to the text. The marks
 * are control characters, which terminal_put() lets through in no name. Where there is neither a
 * width nor colour, the marks are dropped and each line remains a line.
 *
 * Otherwise a line that is too long is broken at blanks, and never within a frame: the rest of the
 * line goes below the place of LAYOUT_TEXT. If little room is left there, the text goes below the
 * figures. A frame that no line can hold is broken before its source line, and the name of a
 * function that is longer than a line is shortened by shorten_name().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/color.h"

/* The text of a line begins here; figures in columns are before it. Blanks behind it are an indent,
 * which all lines of the text have. */
#define LAYOUT_TEXT "\001"
/* The lines of a tree end here, which began at LAYOUT_TEXT; each line of the text has them. */
#define LAYOUT_TREE "\002"
/* A frame: its function, its source line or object, its end. */
#define LAYOUT_FRAME "\003"
#define LAYOUT_FRAME_LINE "\004"
#define LAYOUT_FRAME_END "\005"
/* The end of a line within a paragraph; a blank where lines are broken again. */
#define LAYOUT_NEWLINE "\006"
/* How text looks up to LAYOUT_PLAIN or the end of the line: what matters most, titles. */
#define LAYOUT_STRONG "\016"
#define LAYOUT_TITLE "\017"
#define LAYOUT_PLAIN "\020"

struct layout_style {
	unsigned int columns;	/* 0: lines are as long as they are */
	bool has_color;
};

/* The least columns that a terminal is taken to have. */
enum { LAYOUT_COLUMNS_MIN = 20, LAYOUT_COLUMNS_MAX = 10000 };

/* layout_style_for -- Chooses the style of a report.
 *
 * fd       where it goes, -1: to a file that is not open yet, which is no terminal.
 * columns  asked for; 0: those of the terminal FD, no limit if it is none.
 */
struct layout_style layout_style_for(int fd, unsigned int columns, enum color_when color);

/* layout_open -- Opens a stream that lays out its text and writes it to OUT.
 *
 * OUT gets all lines when the stream is flushed or closed, with fclose(); OUT remains open. The
 * caller judges errors of OUT. Dies if there is no memory.
 */
FILE *layout_open(FILE *out, struct layout_style style);
