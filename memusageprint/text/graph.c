/* graph.c -- Draws memory over time in characters.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/graph.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusageprint/job/amount.h"

/* Up to here perl treats a double without a fraction as an integer. */
#define DOUBLE_WHOLE (UINT64_C(1) << 53)

struct graph {
	const struct massif_file *m;
	unsigned columns, rows;
	uint64_t top;		/* bytes that reach the last row */
	uint64_t end;		/* time of the last column */
	uint64_t whole_row;	/* bytes of a row, if perl computes an integer; else 0 */
	double row;		/* bytes of a row otherwise */
	char *cell;		/* columns x rows, from the lower left corner */
};

/* The last bar; its top continues up to the next one. */
struct drawn_bar {
	unsigned column, row;	/* from 1 on; 0: none */
	char mark;
};

static char *get_cell(const struct graph *g, unsigned column, unsigned row)
{
	return &g->cell[(size_t)(row - 1) * g->columns + column - 1];
}

static int mark_strength(char mark)
{
	return mark == '#' ? 3 : mark == '@' ? 2 : mark == ':' ? 1 : 0;
}

/* True if a bar of so many bytes reaches the top of row R. */
static bool bar_fills_row(const struct graph *g, uint64_t bytes, unsigned r)
{
	if (g->whole_row)
		return bytes >= g->whole_row * r;
	return (double)bytes >= r * g->row;
}

/* Returns the column of a time. If time goes backwards in a profile, the column may be beyond the
 * last one; all such columns are g->columns + 1. */
static unsigned time_column(const struct graph *g, uint64_t time)
{
	double column;

	if (time == g->end)
		return g->columns;
	column = amount_quotient(time, g->end) * g->columns;
	return column >= g->columns ? g->columns + 1 : (unsigned)column + 1;
}

static void draw_snapshot_bar(struct graph *g, const struct massif_snapshot *s,
			      struct drawn_bar *bar, char mark)
{
	unsigned column = time_column(g, s->time);
	unsigned row = 0;

	for (unsigned c = bar->column + 1; bar->row > 0 && c < column && c <= g->columns; c++)
		*get_cell(g, c, bar->row) = bar->mark;
	while (row < g->rows && bar_fills_row(g, massif_total(s), row + 1)) {
		row++;
		if (column > g->columns)
			continue;
		if (mark_strength(mark) > mark_strength(*get_cell(g, column, row)))
			*get_cell(g, column, row) = mark;
	}
	*bar = (struct drawn_bar){ .column = column, .row = row, .mark = mark };
}

/* The peak is found by its number, which in a damaged file may differ from its index. */
static void draw_all_bars(struct graph *g)
{
	const struct massif_snapshot *s = g->m->snapshots, *peak = NULL;
	struct drawn_bar bar = { 0 };

	for (size_t i = 0; i < g->m->count; i++) {
		if (s[i].kind == MASSIF_PEAK)
			peak = &s[i];
	}
	for (size_t i = 0; i < g->m->count; i++)
		draw_snapshot_bar(g, &s[i], &bar, peak && peak->number == i ? '#' :
				  s[i].kind != MASSIF_PLAIN ? '@' : ':');
}

static void set_scale(struct graph *g)
{
	for (size_t i = 0; i < g->m->count; i++) {
		uint64_t total = massif_total(&g->m->snapshots[i]);

		if (total > g->top)
			g->top = total;
	}
	if (g->top == 0)
		g->top = 1;
	g->end = g->m->snapshots[g->m->count - 1].time;
	if (g->end == 0)
		g->end = 1;
	g->row = (double)g->top / g->rows;
	if (g->top > DOUBLE_WHOLE && g->top % g->rows == 0)
		g->whole_row = g->top / g->rows;
	else if (g->row < DOUBLE_WHOLE && g->row == (double)(uint64_t)g->row)
		g->whole_row = (uint64_t)g->row;
}

static void print_graph(const struct graph *g, FILE *out)
{
	struct amount top = amount_of(g->top, MASSIF_BYTES);
	struct amount end = amount_of(g->end, g->m->unit);

	fprintf(out, "    %2s\n", top.unit);
	for (unsigned r = g->rows; r > 0; r--)
		fprintf(out, "%s%c%.*s\n", r == g->rows ? top.text : "     ",
			r == g->rows ? '^' : '|', (int)g->columns, get_cell(g, 1, r));
	fputs("   0 +", out);
	for (unsigned c = 1; c < g->columns; c++)
		putc('-', out);
	fprintf(out, ">%s\n", end.unit);
	fprintf(out, "     0%*s%s\n", (int)(g->columns > 5 ? g->columns - 5 : 0), "", end.text);
}

void graph_print(FILE *out, const struct massif_file *m, unsigned columns, unsigned rows)
{
	struct graph g = { .m = m, .columns = columns, .rows = rows };

	g.cell = xcalloc(columns, rows);
	memset(g.cell, ' ', (size_t)columns * rows);
	set_scale(&g);
	draw_all_bars(&g);
	print_graph(&g, out);
	free(g.cell);
}
