/* plot.h -- the course of a run and its biggest places, drawn in a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_PLOT_H
#define MEMUSAGEPRINT_TEXT_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "memusageprint/job/report_job.h"
#include "memusageprint/job/report_subject.h"

/* How a terminal is drawn on. */
struct plot_style {
	unsigned int columns;	/* of the terminal, at least 40 */
	unsigned int rows;	/* of the curve */
	bool has_color;
	bool has_blocks;	/* U+2581 to U+2588; otherwise ASCII only */
};

/* plot_style_of -- what suits the output: its terminal's width, else $COLUMNS, else 80; characters
 * beyond ASCII if the locale's encoding is UTF-8. */
struct plot_style plot_style_of(const struct settings *settings);

/* Points of a run. */
struct plot_curve {
	double *x, *heap, *total;	/* total: with rounding, admin and stacks */
	size_t count;
	double x_end;
	const char *(*x_text)(char *text, double x);	/* into at least 64 bytes */
};

/* plot_curve -- draw it: bars up to the heap, and a lighter mark up to the total. */
void plot_curve(FILE *out, const struct plot_style *style, const struct plot_curve *curve);

/* plot_bar -- the beginning of a line of a list: "46.6 %  2.03 MiB  ######    ". */
void plot_bar(FILE *out, const struct plot_style *style, double share, const char *value);

/* plot_cut -- print a text in the rest of a line, and end the line.
 *
 * is_behind_bar  plot_bar() began it; else the text has the whole line.
 */
void plot_cut(FILE *out, const struct plot_style *style, const char *text, bool is_behind_bar);

/* plot_recording -- draw a process. Returns 0, or -1 after a warning. */
int plot_recording(FILE *out, struct report_subject *s, const struct settings *settings);

/* plot_massif -- draw a massif.out; a report_fn for REPORT_TEXT, of which it knows --plot only. */
int plot_massif(const struct report_job *job);

#endif
