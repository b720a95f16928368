/* layout.c -- The lines of a live view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/layout.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusageprint/live/cells.h"
#include "memusageprint/live/layout_curve.h"

enum {
	WIDE = 70, NARROW = 56,	/* widths from which on total, and changes per second, are shown */
	CURVE_HEIGHT = 16,	/* height from which on there is a curve */
	CURVE_ROWS_MAX = 16,
	NOT_CURVE = 9,		/* lines besides the curve and the rows of the table */
	LINE_MAX_WIDTH = 4096	/* of a line that is cut later */
};

/* ---- pieces ------------------------------------------------------------------------------- */

/* Appends a text to a list of them, if it fits into WIDTH columns. */
static void append_piece(char **list, unsigned int width, const char *separator, char *piece)
{
	const unsigned int used = terminal_width(*list, strlen(*list));
	const unsigned int more = terminal_width(piece, strlen(piece));
	char *longer;

	if (used == 0)
		separator = " ";
	if (*piece && used + strlen(separator) + more <= width) {
		longer = xasprintf("%s%s%s", *list, separator, piece);
		free(*list);
		*list = longer;
	}
	free(piece);
}

/* LEFT is cut where RIGHT begins. The whole line is a band. */
static char *format_band(const char *left, const char *right, unsigned int width)
{
	const unsigned int taken = terminal_width(right, strlen(right));
	const unsigned int room = width > taken + 1 ? width - taken - 1 : 0;
	char *start = cells_cut(left, room), *text;
	const int gap = (int)(width - taken - terminal_width(start, strlen(start)));

	text = xasprintf(LIVE_BAND "%s%*s%s", start, gap > 0 ? gap : 0, "", right);
	free(start);
	return text;
}

/* What the process did after the last look is not known. */
static char *describe_end(const struct view *v)
{
	const char *what = v->is_cut_off ? "memusage has ended" : "ENDED";
	char time[UNITS_LENGTH];

	return !v->now.pid ? xstrdup(what) :
			     xasprintf("%s: the figures are as of %s", what,
				       units_duration(time, v->now.ns));
}

static const char *describe_state(const struct view *v)
{
	return v->status == LIVE_FAILED	 ? v->trouble :
	       v->is_paused		 ? "PAUSED: space goes on" :
	       v->answer.is_stopped	 ? "STOPPED by a signal" :
	       v->now.is_asleep	 ? "ASLEEP: memusage --pid=PID start begins recording" :
	       v->now.is_stopped	 ? "recording is stopped: --pid=PID start resumes it" :
	       !v->now.pid		 ? "the first look at it..." :
					   "";
}

static char *format_heading(const struct view *v, unsigned int width)
{
	char time[UNITS_LENGTH], *right, *left, *text;

	right = v->now.pid ? xasprintf("process %u   %s ", v->now.pid,
				       units_duration(time, v->now.ns)) : xstrdup("");
	left = xasprintf(" %s", v->now.command ? v->now.command : "memusage");
	text = format_band(left, right, width);
	free(left);
	free(right);
	return text;
}

static const char *format_estimate(char text[BOUNDS_LENGTH], const struct look *l,
				   const struct sampled_error *e, int64_t bytes)
{
	return l->distance > 0 ? bounds_bytes_text(text, e, bytes, l->distance) :
				 units_bytes(text, (uint64_t)bytes);
}

static char *format_figures(const struct view *v, unsigned int width)
{
	char text[UNITS_LENGTH], number[UNITS_LENGTH], *list = xstrdup("");
	char estimate[BOUNDS_LENGTH];
	const struct look *l = &v->now;
	const uint32_t threads = v->answer.threads;

	append_piece(&list, width, "",
		     xasprintf("heap %s", format_estimate(estimate, l, &l->heap_error,
							  l->heap > 0 ? l->heap : 0)));
	append_piece(&list, width, "   ",
		     xasprintf("peak %s", format_estimate(estimate, l, &l->peak_error, l->peak)));
	if (v->answer.rss)
		append_piece(&list, width, "   ",
			     xasprintf("resident %s", units_bytes(text, v->answer.rss)));
	if (threads)
		append_piece(&list, width, "   ",
			     xasprintf("%u thread%s", threads, threads == 1 ? "" : "s"));
	append_piece(&list, width, "   ", xasprintf("allocated %s", units_bytes(text, l->total)));
	append_piece(&list, width, "   ", xasprintf("%s calls", units_grouped(number, l->calls)));
	return list;
}

static char *format_quality(const struct view *v)
{
	char text[UNITS_LENGTH], time[UNITS_LENGTH];

	if (v->rest_ns > UINT64_C(1500000000))
		return xasprintf("a look takes long: one in %s", units_time(time, v->rest_ns));
	if (v->answer.moved > 0)
		return xasprintf("exact to %s", units_bytes(text, v->answer.moved));
	return xstrdup("");
}

/* "12 functions by live" */
static char *describe_order(const struct view *v)
{
	char number[UNITS_LENGTH];

	if (v->table == LIVE_CALLERS)
		return xasprintf("callers by %s%s", cells_title(v, v->column[v->table]),
				 v->is_reversed ? ", reversed" : "");
	if (v->table == LIVE_PROCESSES && v->answer.left_out > 0)
		return xasprintf("%s processes by %s%s, %u more are not shown",
				 units_grouped(number, v->rows.count),
				 cells_title(v, v->column[v->table]),
				 v->is_reversed ? ", reversed" : "", v->answer.left_out);
	return xasprintf("%s %s%s by %s%s", units_grouped(number, v->rows.count),
			 cells_title(v, LIVE_NAME), v->rows.count == 1 ? "" :
			 v->table == LIVE_PROCESSES ? "es" : "s",
			 cells_title(v, v->column[v->table]), v->is_reversed ? ", reversed" : "");
}

/* Threads and processes of the time before the view are not known. */
static char *describe_mark(const struct view *v)
{
	const bool has_sites = v->table == LIVE_PLACES || v->table == LIVE_CALLERS;
	const bool is_mark = v->has_mark && (has_sites || !v->is_mark_older);
	const uint64_t ns = has_sites ? v->mark.sites_ns : v->mark.ns;
	char time[UNITS_LENGTH];

	return xasprintf("since %s %s ago", is_mark ? "the mark" : "the first look",
			 units_duration(time, v->now.ns > ns ? v->now.ns - ns : 0));
}

/* Returns a line that says what the table shows, and how. */
static char *format_status(const struct view *v, unsigned int width)
{
	char *list = xstrdup(""), *cut;

	if (v->is_typing || v->message[0]) {
		append_piece(&list, LINE_MAX_WIDTH, "", v->is_typing ?
			     xasprintf("filter: %s_   (Enter keeps it, Esc clears it)", v->filter) :
			     xstrdup(v->message));
		cut = cells_cut(list, width);
		free(list);
		return cut;
	}
	append_piece(&list, width, "", v->is_cut_off || v->status == LIVE_ENDED ?
		     describe_end(v) : xstrdup(describe_state(v)));
	if (v->has_output)
		return list;
	append_piece(&list, width, "   ", describe_order(v));
	if (v->filter[0])
		append_piece(&list, width, "   ", xasprintf("\"%s\" hides %u", v->filter,
							    v->rows.left_out));
	if (v->mark.pid)
		append_piece(&list, width, "   ", describe_mark(v));
	append_piece(&list, width, "   ", format_quality(v));
	return list;
}

/* ---- the table ---------------------------------------------------------------------------- */

static bool has_column(enum live_column column, unsigned int width)
{
	return (column != LIVE_TOTAL || width >= WIDE) && (column != LIVE_RATE || width >= NARROW);
}

/* The 95 % bounds of estimates stand behind the live bytes. */
static bool has_bounds(const struct view *v, unsigned int width)
{
	return width >= NARROW && cells_have_bounds(v);
}

/* Returns the columns of the terminal before the names. */
static unsigned int figures_width(const struct view *v, unsigned int width)
{
	unsigned int used = has_bounds(v, width) ? BOUNDS_WIDTH + 2 : 1;

	for (int c = 0; c < LIVE_NAME; c++)
		used += has_column((enum live_column)c, width) ? CELL_WIDTH + 1 : 0;
	return used + 1;
}

/* bounds  NULL: there is no such column. */
static char *join_cells(const char *const *cell, const char *bounds, unsigned int width)
{
	char *line = xstrdup(" "), *longer;
	int pad;

	for (int c = 0; c < LIVE_NAME; c++) {
		if (!has_column((enum live_column)c, width))
			continue;
		/* Bytes that take no column of their own. */
		pad = (int)(strlen(cell[c]) - terminal_width(cell[c], strlen(cell[c])));
		longer = xasprintf("%s%*s ", line, CELL_WIDTH + pad, cell[c]);
		free(line);
		line = longer;
		if (c != LIVE_BYTES || !bounds)
			continue;
		longer = xasprintf("%s%-*s ", line, BOUNDS_WIDTH, bounds);
		free(line);
		line = longer;
	}
	longer = xasprintf("%s %s", line, cell[LIVE_NAME]);
	free(line);
	return longer;
}

/* The column of the order has an arrow: down, if the largest is first. */
static char *format_titles(const struct view *v, unsigned int width, bool has_utf8)
{
	const char *down = has_utf8 ? "\u2193" : ">", *up = has_utf8 ? "\u2191" : "<";
	char title[LIVE_COLUMNS][24];
	const char *cell[LIVE_COLUMNS];

	for (int c = 0; c < LIVE_COLUMNS; c++) {
		const char *sign = c != (int)v->column[v->table] ? "" :
				   v->is_reversed == (c == LIVE_NAME) ? down : up;

		snprintf(title[c], sizeof(title[c]), "%s%s", sign,
			 cells_title(v, (enum live_column)c));
		cell[c] = title[c];
	}
	return join_cells(cell, has_bounds(v, width) ? "95 %" : NULL, width);
}

static char *format_title_line(const struct view *v, const struct live_size *size)
{
	char *text = format_titles(v, size->width, size->has_utf8), *line;
	const int pad = (int)size->width - (int)terminal_width(text, strlen(text));

	line = xasprintf(LIVE_TITLE "%s%*s", text, pad > 0 ? pad : 0, "");
	free(text);
	return line;
}

/* room  columns of the name; 0: no limit. */
static char *format_row_text(const struct view *v, const struct live_row *row,
			     const struct live_size *size, unsigned int room)
{
	char figure[LIVE_COLUMNS][UNITS_LENGTH + 1], *text, *name;
	const char *cell[LIVE_COLUMNS];
	char bounds[BOUNDS_LENGTH];

	cells_bounds(bounds, v, row);
	for (int c = 0; c < LIVE_NAME; c++)
		cell[c] = cells_figure(figure[c], row, (enum live_column)c);
	cell[LIVE_NAME] = name = cells_name(v, row, room, size->has_utf8);
	text = join_cells(cell, has_bounds(v, size->width) ? bounds : NULL, size->width);
	free(name);
	return text;
}

static char *format_row(const struct view *v, uint32_t i, const struct live_size *size)
{
	const unsigned int width = size->width;
	char *text = format_row_text(v, &v->rows.row[i], size, width - figures_width(v, width));
	char *line;
	int pad;

	if (i != v->selected)
		return text;
	pad = (int)width - (int)terminal_width(text, strlen(text));
	line = xasprintf(LIVE_BAND "%s%*s", text, pad > 0 ? pad : 0, "");
	free(text);
	return line;
}

static const char *explain_empty_table(const struct view *v)
{
	if (!v->now.pid)
		return "";
	if (v->table == LIVE_PLACES && !v->now.has_places)
		return "No call stacks are recorded, so the places are not known: start the "
		       "program with --live, --record or --top.";
	return v->rows.left_out > 0 ? "Nothing has the text of the filter in it: Esc clears it." :
				      "Nothing was allocated.";
}

static void put_table(struct view *v, const struct live_size *size, unsigned int rows, char **line)
{
	v->visible = rows;
	if (v->selected < v->first)
		v->first = v->selected;
	if (v->selected >= v->first + rows)
		v->first = v->selected - rows + 1;
	/* A terminal that has become higher shows more, not empty rows. */
	if (v->first + rows > v->rows.count)
		v->first = v->rows.count > rows ? v->rows.count - rows : 0;
	for (unsigned int i = 0; i < rows; i++)
		line[i] = v->first + i < v->rows.count ?
				  format_row(v, v->first + i, size) : xstrdup("");
	if (v->rows.count == 0 && rows > 0) {
		char *text = xasprintf(" %s", explain_empty_table(v));

		free(line[0]);
		line[0] = cells_cut(text, size->width);
		free(text);
	}
}

/* ---- the output of the program ------------------------------------------------------------- */

static void put_output(struct view *v, const struct live_size *size, unsigned int rows,
		       char **line)
{
	const struct live_output *o = &v->output;
	const uint32_t most = o->count > rows ? o->count - rows : 0;
	uint32_t first;

	v->visible = rows;
	if (v->output_below > most)
		v->output_below = most;
	first = most - v->output_below;
	for (unsigned int i = 0; i < rows; i++)
		line[i] = first + i < o->count ? cells_cut(o->line[first + i], size->width) :
						 xstrdup("");
	if (o->count == 0 && rows > 0) {
		free(line[0]);
		line[0] = cells_cut(" Nothing was written yet.", size->width);
	}
}

static char *format_output_title(const struct view *v, unsigned int width)
{
	char number[UNITS_LENGTH], *text, *cut, *line;

	text = xasprintf(" output of the program: %s%s line%s%s",
			 v->output.is_cut ? "the last " : "",
			 units_grouped(number, v->output.count), v->output.count == 1 ? "" : "s",
			 v->output_below > 0 ? ", scrolled up: End shows the last" : "");
	cut = cells_cut(text, width);
	line = xasprintf(LIVE_TITLE "%s%*s", cut,
			 (int)(width - terminal_width(cut, strlen(cut))), "");
	free(text);
	free(cut);
	return line;
}

/* ---- screens ------------------------------------------------------------------------------ */

static char *format_keys(const struct view *v, unsigned int width)
{
	static const char *const keys[] = { "/ filter", "g group", "m mark",
					    "t threads", "p processes", "1-6 sort", "s snapshot",
					    "space pause" };
	static const char *const first[LIVE_TABLES] = {
		[LIVE_PLACES] = "Enter callers", [LIVE_CALLERS] = "Esc back",
		[LIVE_THREADS] = "Esc back", [LIVE_PROCESSES] = "Enter shows it",
	};
	char *list = xstrdup(""), *text;

	append_piece(&list, width - 1, "", xstrdup("q quit  h help"));
	append_piece(&list, width - 1, "  ",
		     xstrdup(v->has_output ? "Esc back" : first[v->table]));
	if (v->output.fd >= 0 && !v->has_output)
		append_piece(&list, width - 1, "  ", xstrdup("o output"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		append_piece(&list, width - 1, "  ", xstrdup(keys[i]));
	text = format_band(list, "", width);
	free(list);
	return text;
}

static void put_help(const struct live_size *size, unsigned int rows, char **line)
{
	static const char *const help[] = {
		"", LIVE_STRONG " Keys of the live view" LIVE_PLAIN, "",
		"  up, down, PgUp, PgDn, Home, End   move in the table",
		"  1 to 6, or left and right         sort by a column; again, or r: reversed",
		"  g    group by function, source file, object or line",
		"  / f  show only names with a text; Esc shows all again",
		"  m    mark: \"since\" counts from now on",
		"  Enter  the callers of the selected place; Esc goes back",
		"  t    threads               p    processes: Enter shows the selected one",
		"  o    what the program has written, if memusage --live started it",
		"  s    keep a recording of now as memusage.PID.N.mur",
		"  space  pause and go on     h ?  this page",
		"  q    quit: the program runs on; memusage --pid=PID live comes back",
		"  ^C   the same; if memusage --live started the program, it gets SIGINT",
		"",
		"  live    bytes of blocks that are allocated now    total   all so far",
		"  per s   change of live in a second                since   since the mark",
		"  95 %    with --sample: the bounds of live; \"exact\" has no error",
	};
	const size_t count = sizeof(help) / sizeof(*help);

	/* On a low terminal the keys are more important than the title. */
	const size_t from = rows >= count ? 0 : 3;

	for (unsigned int i = 0; i < rows; i++)
		line[i] = i + from < count ? cells_cut(help[i + from], size->width) : xstrdup("");
}

static void put_too_small(const struct live_size *size, char **line)
{
	char *text = xasprintf("too small: %d x %d", LIVE_WIDTH_MIN, LIVE_HEIGHT_MIN);

	for (unsigned int i = 0; i < size->height; i++)
		line[i] = i == 0 ? cells_cut(text, size->width) : xstrdup("");
	free(text);
}

static unsigned int curve_rows(const struct live_size *size)
{
	unsigned int rows;

	if (size->height < CURVE_HEIGHT)
		return 0;
	rows = (size->height - NOT_CURVE) * 2 / 5;
	return rows > CURVE_ROWS_MAX ? CURVE_ROWS_MAX : rows;
}

void layout_lines(struct view *v, const struct live_size *size, char **line)
{
	const unsigned int width = size->width, curve = v->has_help ? 0 : curve_rows(size);
	unsigned int n = 0, rows;

	if (width < LIVE_WIDTH_MIN || size->height < LIVE_HEIGHT_MIN) {
		put_too_small(size, line);
		return;
	}
	line[n++] = format_heading(v, width);
	line[n++] = format_figures(v, width);
	if (curve > 0) {
		line[n++] = xstrdup("");
		layout_curve_lines(&v->curve, size, curve, line + n);
		n += curve + 1;
	}
	if (v->has_help) {
		rows = size->height - n - 1;
		put_help(size, rows, line + n);
	} else {
		if (curve > 0)
			line[n++] = xstrdup("");
		line[n++] = v->has_output ? format_output_title(v, width) :
					    format_title_line(v, size);
		rows = size->height - n - 2;
		if (v->has_output)
			put_output(v, size, rows, line + n);
		else
			put_table(v, size, rows, line + n);
		line[n + rows] = format_status(v, width);
		n++;
	}
	line[n + rows] = format_keys(v, width);
}

void layout_print(FILE *out, const struct view *v)
{
	const struct live_size size = { .width = LIVE_WIDTH_MAX };
	const unsigned int width = size.width;
	char time[UNITS_LENGTH], *text;

	fprintf(out, "%s\n", v->now.command);
	fprintf(out, "process %u   %s\n", v->now.pid, units_duration(time, v->now.ns));
	text = format_figures(v, width);
	fprintf(out, "%s\n", text + 1);
	free(text);
	text = format_status(v, width);
	fprintf(out, "%s\n\n", text + 1);
	free(text);
	text = format_titles(v, width, false);
	fprintf(out, "%s\n", text);
	free(text);
	for (uint32_t i = 0; i < v->rows.count; i++) {
		text = format_row_text(v, &v->rows.row[i], &size, 0);
		fprintf(out, "%s\n", text);
		free(text);
	}
	if (v->rows.count == 0)
		fprintf(out, " %s\n", explain_empty_table(v));
}
