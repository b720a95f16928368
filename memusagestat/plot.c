/* plot.c -- Draws the events of a run as pixels: curves, bands of time, ticks.
 *
 * The picture is defined by glibc's memusagestat: every event is a line from the one before it, of
 * the total, the heap and the stack, in this order; later lines cover earlier ones. The strip below
 * the axis shows time where x is the number of calls: twenty bands of 5 % of the run, every other
 * one coloured. Where x is time it is a ruler, and ticks show how fast the calls came.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/plot.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "memusagestat/drawing/scale.h"

enum { BATCH = 8192 };

/* A curve: its scale, and the row of its last point. */
struct plot_curve {
	struct scale scale;
	int row;
	uint8_t color;
	bool is_drawn;
};

/* The pass over the events. */
struct plot_pass {
	struct plot *plot;
	struct plot_curve total, heap, stack;
	uint64_t events, start, duration;
	int column;		/* of the last event */
	uint64_t event;		/* events so far */
	uint64_t tick_step;
	uint64_t column_ends;	/* the first event of the next column */
	uint64_t since, until;	/* times between which `in_band` is valid, the end excluded */
	bool in_band;
};

static void plot_curve_init(struct plot_curve *c, uint64_t top, int rows, uint8_t color,
			    bool is_wanted)
{
	scale_init(&c->scale, top, (unsigned)rows);
	c->row = rows;
	c->color = color;
	c->is_drawn = is_wanted && top > 0;
}

static inline void plot_curve_extend(struct plot_curve *c, struct canvas *canvas, int from, int to,
				     uint64_t value)
{
	int row;

	if (!c->is_drawn)
		return;
	row = canvas->height - 1 - (int)scale_pixel(&c->scale, value);
	if (from == to)
		canvas_stroke(canvas, from, c->row, row, c->color);
	else
		canvas_line(canvas, from, c->row, to, row, c->color);
	c->row = row;
}

static inline void draw_event_lines(struct plot_pass *p, const struct dat_record *e, int column)
{
	struct canvas *canvas = &p->plot->canvas;

	plot_curve_extend(&p->total, canvas, p->column, column, e->heap + e->stack);
	plot_curve_extend(&p->heap, canvas, p->column, column, e->heap);
	plot_curve_extend(&p->stack, canvas, p->column, column, e->stack);
	p->column = column;
}

/* The topmost pixel of a tick is on the axis, where a curve may cover it. */
static void draw_axis_tick(struct plot *plot, int column)
{
	plot->tick[column] = true;
	canvas_stroke(&plot->canvas, column, plot->rows, plot->rows, COLOR_FRAME);
}

/* ---- x is the number of the event -------------------------------------------------------- */

/* Returns the column of an event by its number, and notes the number at which it changes. */
static int column_of_event(struct plot_pass *p, uint64_t event)
{
	uint64_t columns = (uint64_t)p->plot->columns;
	uint64_t column = scale_divide(columns, event, p->events);
	unsigned __int128 end = (unsigned __int128)(column + 1) * p->events;

	p->column_ends = (uint64_t)((end + columns - 1) / columns);
	return (int)column;
}

/* Returns whether TIME, since the start, is in a coloured band, and notes until when that holds. */
static bool is_time_in_band(struct plot_pass *p, uint64_t time)
{
	uint64_t band;

	if (time - p->since < p->until - p->since)
		return p->in_band;
	if (p->duration == 0)
		return true;
	band = scale_divide(time, 20, p->duration);
	p->since = time;
	p->until = time + 1;
	if (band < 20) {
		unsigned __int128 end = (unsigned __int128)(band + 1) * p->duration;

		p->until = (uint64_t)((end + 19) / 20);
	}
	p->in_band = band % 2 == 0;
	return p->in_band;
}

/* Marks the band of an event; FROM and TO are the columns before and after it. If they are equal,
 * glibc's rectangle has its corners the wrong way round and becomes two columns wide. */
static void mark_band_columns(struct plot *plot, int from, int to)
{
	if (from == to) {
		plot->band[from] = plot->band[from + 1] = true;
		return;
	}
	for (int column = from; column < to; column++)
		plot->band[column + 1] = true;
}

static void draw_events_by_number(struct plot_pass *p, const struct dat_record *e, size_t count,
				  uint64_t *before)
{
	for (size_t i = 0; i < count; i++) {
		int column = p->column;

		if (++p->event >= p->column_ends)
			column = column_of_event(p, p->event);
		if (is_time_in_band(p, *before))
			mark_band_columns(p->plot, p->column, column);
		draw_event_lines(p, &e[i], column);
		*before = dat_time(&e[i]) - p->start;
	}
}

static void draw_ticks_by_number(struct plot_pass *p)
{
	uint64_t columns = (uint64_t)p->plot->columns;

	for (uint64_t event = 0; event < p->events; event += p->tick_step)
		draw_axis_tick(p->plot, (int)scale_divide(columns, event, p->events));
	draw_axis_tick(p->plot, (int)columns);
}

/* ---- x is the time of the event ---------------------------------------------------------- */

/* Times outside of the run are drawn at its edges; a record that was never filled has time 0. */
static void draw_events_by_time(struct plot_pass *p, struct scale *x, const struct dat_record *e,
				size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t time = dat_time(&e[i]);
		unsigned column = scale_pixel(x, time > p->start ? time - p->start : 0);

		if (++p->event % p->tick_step == 0)
			draw_axis_tick(p->plot, (int)column);
		draw_event_lines(p, &e[i], (int)column);
	}
}

static void mark_bands_by_time(struct plot *plot)
{
	for (int i = 0; i < 20; i += 2) {
		int from = i * plot->columns / 20, to = (i + 1) * plot->columns / 20;

		mark_band_columns(plot, from, to);
	}
}

/* ------------------------------------------------------------------------------------------ */

static void draw_all_events(struct plot_pass *p, struct data_input *in, bool by_time)
{
	struct dat_record *batch = xmalloc(BATCH * sizeof(*batch));
	uint64_t before = 0;
	struct scale x;
	size_t n;

	scale_init(&x, p->duration, (unsigned)p->plot->columns);
	while ((n = data_input_read(in, batch, BATCH)) > 0) {
		if (by_time)
			draw_events_by_time(p, &x, batch, n);
		else
			draw_events_by_number(p, batch, n, &before);
	}
	free(batch);
}

void plot_draw(struct plot *plot, struct data_input *in, int columns, int rows, bool by_time,
	       bool with_total)
{
	const struct dat_info *info = &in->dat.info;
	struct plot_pass p = {
		.plot = plot, .events = info->records, .start = info->start,
		.duration = info->end - info->start,
		.tick_step = info->records < 20 ? 1 : info->records / 20,
	};

	*plot = (struct plot){ .columns = columns, .rows = rows };
	plot->heap_top = with_total ? info->total_peak : info->heap_peak;
	plot->stack_top = with_total ? info->total_peak : info->stack_peak;
	canvas_init(&plot->canvas, columns + 1, rows + 1);
	plot->band = xcalloc((size_t)columns + 2, sizeof(*plot->band));
	plot->tick = xcalloc((size_t)columns + 1, sizeof(*plot->tick));
	plot_curve_init(&p.total, info->total_peak, rows, COLOR_TOTAL, with_total);
	plot_curve_init(&p.heap, plot->heap_top, rows, COLOR_HEAP, true);
	plot_curve_init(&p.stack, plot->stack_top, rows, COLOR_STACK, true);
	if (by_time)
		mark_bands_by_time(plot);
	else if (p.events > 0)
		column_of_event(&p, 0);
	draw_all_events(&p, in, by_time);
	if (!by_time)
		draw_ticks_by_number(&p);
}

void plot_fini(struct plot *p)
{
	canvas_fini(&p->canvas);
	free(p->band);
	free(p->tick);
}
