/* plot.c -- Draws curves and bars in a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/color.h"
#include "cli/shorten.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/utf8.h"

enum {
	COLUMNS_MIN = 40, COLUMNS_MAX = 400, ROWS = 12, LABEL = 9, BEFORE_BAR = 24, NO_BAR = 19,
	NAME_LEAST = 16		/* columns of a name; a source line gives way to it */
};

static bool locale_is_utf8(void)
{
	const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

struct plot_style plot_style_of(const struct settings *settings)
{
	struct plot_style s = { .columns = 80, .rows = ROWS, .has_blocks = locale_is_utf8() };
	const struct layout_style layout = settings_layout(settings);
	const char *columns = getenv("COLUMNS");
	uint64_t number;

	if (layout.columns > 0)
		s.columns = layout.columns;
	else if (columns && units_parse_count(columns, &number) && number <= COLUMNS_MAX)
		s.columns = (unsigned int)number;
	if (s.columns < COLUMNS_MIN)
		s.columns = COLUMNS_MIN;
	if (s.columns > COLUMNS_MAX)
		s.columns = COLUMNS_MAX;
	s.has_color = layout.has_color;
	return s;
}

/* ---- the curve ----------------------------------------------------------------------------- */

/* Computes the maximum within each column. A value holds until the next point. */
static void fit_to_columns(const struct plot_curve *c, const double *y, double *column,
			   unsigned int columns)
{
	double last = 0;
	size_t at = 0;

	for (unsigned int i = 0; i < columns; i++) {
		double end = c->x_end * (i + 1) / columns, most = last;

		for (; at < c->count && (c->x[at] < end || i + 1 == columns); at++) {
			most = fmax(most, y[at]);
			last = y[at];
		}
		column[i] = most;
	}
}

/* Returns the text of a cell whose lower edge is LOW rows high, in a bar up to HEAP and TOTAL. */
static const char *choose_cell_text(const struct plot_style *s, double heap, double total,
				    double low)
{
	static const char *const eighths[] = { " ", "\u2581", "\u2582", "\u2583", "\u2584",
					       "\u2585", "\u2586", "\u2587", "\u2588" };
	double part = heap - low;

	if (!s->has_blocks)
		return part >= 0.5 ? "#" : total - low >= 0.5 ? ":" : " ";
	if (part >= 0.0625)
		return eighths[(int)fmin(8, lround(part * 8))];
	return total - low >= 0.5 ? "\u2591" : " ";
}

/* The rest above the heap has the colour of text: it is light already. */
static bool is_heap_text(const char *text)
{
	return strcmp(text, ":") != 0 && strcmp(text, "\u2591") != 0;
}

static void put_curve_row(FILE *out, const struct plot_style *s, const double *heap,
			  const double *total, unsigned int columns, double low)
{
	const char *last = COLOR_PLAIN;

	for (unsigned int i = 0; i < columns; i++) {
		const char *text = choose_cell_text(s, heap[i], total[i], low);
		const char *color = is_heap_text(text) ? COLOR_BAR : COLOR_PLAIN;

		if (s->has_color && *text != ' ' && strcmp(color, last) != 0)
			fputs(last = color, out);
		fputs(text, out);
	}
	fputs(s->has_color ? COLOR_PLAIN "\n" : "\n", out);
}

static void put_time_axis(FILE *out, const struct plot_style *s, const struct plot_curve *c,
			  unsigned int columns)
{
	char text[64];
	const char *end = c->x_text(text, c->x_end);
	int room = (int)columns - (int)strlen(end) - 1;

	fprintf(out, "%*s %s", LABEL, "0", s->has_blocks ? "\u2514" : "+");
	for (unsigned int i = 0; i < columns; i++)
		fputs(s->has_blocks ? "\u2500" : "-", out);
	fprintf(out, "\n%*s  0%*s%s\n", LABEL, "", room > 0 ? room : 1, "", end);
}

/* True if the total is half a row above the heap somewhere; otherwise only the heap is drawn. */
static bool is_total_visible(const double *heap, const double *total, unsigned int columns,
			     unsigned int rows)
{
	double top = 1, most = 0;

	for (unsigned int i = 0; i < columns; i++) {
		top = fmax(top, fmax(heap[i], total[i]));
		most = fmax(most, total[i] - heap[i]);
	}
	return most * rows / top >= 0.5;
}

void plot_curve(FILE *out, const struct plot_style *s, const struct plot_curve *c)
{
	unsigned int columns = s->columns - LABEL - 3;
	double *heap = xcalloc(columns, sizeof(*heap)), *total = xcalloc(columns, sizeof(*total));
	double top = 1;
	char text[UNITS_LENGTH];
	bool has_rest;

	fit_to_columns(c, c->heap, heap, columns);
	fit_to_columns(c, c->total, total, columns);
	has_rest = is_total_visible(heap, total, columns, s->rows);
	for (unsigned int i = 0; i < columns; i++)
		top = fmax(top, has_rest ? fmax(heap[i], total[i]) : heap[i]);
	for (unsigned int i = 0; i < columns; i++) {
		heap[i] *= s->rows / top;
		total[i] *= s->rows / top;
	}
	for (unsigned int r = s->rows; r-- > 0;) {
		bool is_labelled = r + 1 == s->rows || r + 1 == s->rows / 2;

		fprintf(out, "%*s %s", LABEL,
			is_labelled ? units_bytes(text, units_whole(top * (r + 1) / s->rows)) : "",
			is_labelled ? (s->has_blocks ? "\u2524" : "+") :
				      (s->has_blocks ? "\u2502" : "|"));
		put_curve_row(out, s, heap, total, columns, r);
	}
	put_time_axis(out, s, c, columns);
	if (has_rest)
		fprintf(out, "%*s%s%s%s heap  %s + rounding, admin, stacks\n",
			s->columns < 60 ? 0 : LABEL + 3, "", s->has_color ? COLOR_BAR : "",
			s->has_blocks ? "\u2588" : "#", s->has_color ? COLOR_PLAIN : "",
			s->has_blocks ? "\u2591" : ":");
	free(heap);
	free(total);
}

/* ---- lists --------------------------------------------------------------------------------- */

static int bar_width(const struct plot_style *s)
{
	return s->columns < 60 ? 0 : s->columns < 70 ? 8 : 20; /* keep room for names */
}

void plot_bar(FILE *out, const struct plot_style *s, double share, const char *value)
{
	const int width = bar_width(s);
	int full = (int)lround(fmin(fmax(share, 0), 1) * width);

	if (width == 0) {
		fprintf(out, "%5.1f %% %9s  ", share * 100, value);
		return;
	}
	fprintf(out, "%6.1f %%  %10s  %s", share * 100, value, s->has_color ? COLOR_BAR : "");
	for (int i = 0; i < width; i++)
		fputs(i >= full ? " " : s->has_blocks ? "\u2588" : "#", out);
	fprintf(out, "%s  ", s->has_color ? COLOR_PLAIN : "");
}

/* Returns the columns behind a bar. */
static int name_room(const struct plot_style *s)
{
	const int bar = bar_width(s);

	return (int)s->columns - (bar ? BEFORE_BAR + bar : NO_BAR);
}

void plot_cut(FILE *out, const struct plot_style *s, const char *text, bool is_behind_bar)
{
	int room = is_behind_bar ? name_room(s) : (int)s->columns;

	if (s->has_color)
		fputs(COLOR_NAME, out);
	for (int i = 0; *text; i++) {
		uint32_t code;
		int length = utf8_next(text, &code);

		if (i + 1 >= room && text[length ? length : 1]) {
			fputs(s->has_blocks ? "\u2026" : "~", out);
			break;
		}
		fwrite(text, 1, (size_t)(length ? length : 1), out);
		text += length ? length : 1;
	}
	fputs(s->has_color ? COLOR_PLAIN "\n" : "\n", out);
}

void plot_place(FILE *out, const struct plot_style *s, const char *name, const char *line)
{
	const int room = name_room(s), rest = room - (int)terminal_width(line, strlen(line));
	char *fitting = shorten_name(name, strlen(name),
				     (unsigned int)(rest >= NAME_LEAST ? rest : room));
	char *text = xasprintf("%s%s", fitting, line);

	plot_cut(out, s, text, true);
	free(text);
	free(fitting);
}
