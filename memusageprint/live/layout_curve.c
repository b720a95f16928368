/* layout_curve.c -- The lines of the curve of a live view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/layout_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/units.h"
#include "cli/xmalloc.h"

enum { LABEL = 9, BEFORE_CURVE = LABEL + 2 };

static const char *choose_cell(bool has_utf8, double heap, double rss, double low)
{
	static const char *const eighths[] = { " ", "\u2581", "\u2582", "\u2583", "\u2584",
					       "\u2585", "\u2586", "\u2587", "\u2588" };
	const double part = heap - low;

	if (!has_utf8)
		return part >= 0.5 ? "#" : rss - low >= 0.5 ? "." : " ";
	if (part >= 0.0625)
		return eighths[(int)fmin(8, lround(part * 8))];
	return rss - low >= 0.5 ? "\u2591" : " ";
}

static bool is_rss_cell(const char *cell)
{
	return strcmp(cell, ".") == 0 || strcmp(cell, "\u2591") == 0;
}

static void put_row(FILE *out, bool has_utf8, const double *heap, const double *rss,
		    unsigned int columns, double low)
{
	const char *last = LIVE_PLAIN;

	for (unsigned int i = 0; i < columns; i++) {
		const char *cell = choose_cell(has_utf8, heap[i], rss[i], low);
		const char *look = is_rss_cell(cell) ? LIVE_PLAIN : LIVE_BAR;

		if (*cell != ' ' && strcmp(look, last) != 0)
			fputs(last = look, out);
		fputs(cell, out);
	}
}

/* The legend gives way to the time in a narrow terminal. */
static char *format_axis(const struct live_size *size, uint64_t ns, bool has_rss,
			 unsigned int columns)
{
	const char *rss = !has_rss ? "" : size->has_utf8 ? "  \u2591 resident" : "  . resident";
	const int heap_width = 9, rss_width = has_rss ? 12 : 0;
	char end[UNITS_LENGTH];
	int room;

	units_duration(end, ns);
	room = (int)columns - heap_width - rss_width - (int)strlen(end);
	if (room < 1) {
		rss = "";
		room += rss_width;
	}
	return xasprintf("%*s %s0  " LIVE_BAR "%s" LIVE_PLAIN " heap%s%*s%s", LABEL, "0 B",
			 size->has_utf8 ? "\u2514" : "+", size->has_utf8 ? "\u2588" : "#", rss,
			 room > 0 ? room : 1, "", end);
}

static void scale_values(double *value, unsigned int columns, double factor)
{
	for (unsigned int i = 0; i < columns; i++)
		value[i] *= factor;
}

static char *format_row(const struct live_size *size, const double *heap, const double *rss,
			unsigned int row, const char *label)
{
	const char *edge = size->has_utf8 ? (*label ? "\u2524" : "\u2502") : (*label ? "+" : "|");
	char *text = NULL;
	size_t length;
	FILE *out = xopen_memstream(&text, &length);

	fprintf(out, "%*s %s", LABEL, label, edge);
	put_row(out, size->has_utf8, heap, rss, size->width - BEFORE_CURVE, row);
	xclose_memstream(out);
	return text;
}

void layout_curve_lines(const struct live_curve *c, const struct live_size *size, unsigned int rows,
			char **line)
{
	const unsigned int columns = size->width - BEFORE_CURVE;
	double *heap = xcalloc(columns, sizeof(*heap)), *rss = xcalloc(columns, sizeof(*rss));
	const uint64_t end = curve_fit(c, heap, rss, columns);
	char label[UNITS_LENGTH];
	bool has_rss;
	double top = fmax(1, curve_scale(c, &has_rss));

	scale_values(heap, columns, rows / top);
	scale_values(rss, columns, has_rss ? rows / top : 0);
	for (unsigned int i = 0; i < rows; i++) {
		const unsigned int row = rows - 1 - i;
		const bool is_labelled = i == 0 || (rows >= 4 && row + 1 == rows / 2);

		units_bytes(label, units_whole(top * (row + 1) / rows));
		line[i] = format_row(size, heap, rss, row, is_labelled ? label : "");
	}
	line[rows] = format_axis(size, end, has_rss, columns);
	free(heap);
	free(rss);
}
