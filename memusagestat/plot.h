/* plot.h -- Draws the events of a run as pixels: curves, bands of time, ticks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusagestat/data_input.h"
#include "memusagestat/drawing/canvas.h"

/* Colours of the picture; the value is the index in its palette. COLOR_BACKGROUND is never drawn on
 * a canvas, where it means that nothing was drawn. */
enum color { COLOR_BACKGROUND, COLOR_TOTAL, COLOR_BAND, COLOR_FRAME, COLOR_STACK, COLOR_HEAP };

/* The plot of a run. `columns` pixels of x are the whole run: 0 is its start, `columns` its end;
 * `rows` pixels of y are the peak. */
struct plot {
	int columns, rows;
	uint64_t heap_top, stack_top;	/* value at the top of the left and the right axis */
	struct canvas canvas;		/* (columns + 1) x (rows + 1) */
	bool *band;			/* column i - 1 of the strip is coloured; columns + 2 */
	bool *tick;			/* column i has a tick; columns + 1 */
};

/* plot_draw -- Reads the events of IN and draws them.
 *
 * p           overwritten; release it with plot_fini().
 * columns     width between the axes, at least 1; rows likewise, both below 2^16.
 * by_time     x is the time of an event, else its number.
 * with_total  draw the sum too, all three curves in the scale of its peak.
 * Cost: one pass over the input, 16 ns per event; memory for the pixels only.
 */
void plot_draw(struct plot *p, struct data_input *in, int columns, int rows, bool by_time,
	       bool with_total);

/* plot_fini -- Releases the plot. */
void plot_fini(struct plot *p);
