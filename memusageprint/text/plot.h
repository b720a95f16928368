/* plot.h -- Draws the course of a run and its largest places in a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "formats/massif.h"
#include "memusageprint/job/report_subject.h"

/* The abilities of a terminal. */
struct plot_style {
	unsigned int columns;	/* of the terminal, at least 40 */
	unsigned int rows;	/* of the curve */
	bool has_color;
	bool has_blocks;	/* U+2581 to U+2588; otherwise ASCII only */
};

/* plot_style_of -- Chooses the style for the output: --width, else the terminal's width, else
 * $COLUMNS, else 80; characters beyond ASCII if the locale's encoding is UTF-8. */
struct plot_style plot_style_of(const struct settings *settings);

/* Points of a run. */
struct plot_curve {
	double *x, *heap, *total;	/* total: with rounding, admin and stacks */
	size_t count;
	double x_end;
	const char *(*x_text)(char *text, double x);	/* into at least 64 bytes */
};

/* plot_curve -- Draws bars up to the heap, and a lighter mark up to the total. */
void plot_curve(FILE *out, const struct plot_style *style, const struct plot_curve *curve);

/* plot_bar -- Prints the beginning of a line of a list: "46.6 %  2.03 MiB  ######    ". */
void plot_bar(FILE *out, const struct plot_style *style, double share, const char *value);

/* plot_cut -- Prints a text, cut to the width of the line, and ends the line.
 *
 * is_behind_bar  plot_bar() began the line; else the text has the whole line.
 */
void plot_cut(FILE *out, const struct plot_style *style, const char *text, bool is_behind_bar);

/* plot_place -- Prints a place behind what plot_bar() printed, in one line, and ends it.
 *
 * name  of its function, shortened where it is too long.
 * line  " (parse.c:120)", " in libfoo.so", or "".
 */
void plot_place(FILE *out, const struct plot_style *style, const char *name, const char *line);

/* plot_recording -- Draws a process. Returns 0, or -1 after a warning. */
int plot_recording(FILE *out, struct report_subject *s, const struct settings *settings);

/* plot_massif_curve -- Draws the curve of a massif.out, which has a snapshot. */
void plot_massif_curve(FILE *out, const struct massif_file *m, const struct settings *settings);

/* plot_places -- Lists the places that held most at the peak, with bars.
 *
 * f       of the stacks that are to be shown.
 * weight    one per site.
 * distance  from sampled_mean_distance(); 0: the weights are exact.
 */
void plot_places(FILE *out, const struct filter *f, const struct weight *weight,
		 double distance, const struct settings *settings);
