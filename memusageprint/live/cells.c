/* cells.c -- The columns of a live view's table.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shorten.h"
#include "cli/terminal.h"
#include "cli/xmalloc.h"

enum { NAME_LEAST = 14, COUNT_WHOLE = 10000000 };

const char *cells_title(const struct view *v, enum live_column column)
{
	static const char *const titles[LIVE_TABLES][LIVE_COLUMNS] = {
		[LIVE_PLACES] = { "live", "total", "blocks", "per s", "since", "place" },
		[LIVE_THREADS] = { "allocated", "stack", "calls", "per s", "since", "thread" },
		[LIVE_PROCESSES] = { "live", "peak", "calls", "per s", "since", "process" },
	};
	const bool has_places = v->table == LIVE_PLACES || v->table == LIVE_CALLERS;
	static const char *const groups[] = { "place", "function", "file", "object" };

	if (v->table == LIVE_CALLERS && column == LIVE_NAME)
		return "called by";
	if (v->table == LIVE_PLACES && column == LIVE_NAME)
		return groups[v->group == TOP_BY_FUNCTION ? 1 : v->group == TOP_BY_FILE ? 2 :
			      v->group == TOP_BY_OBJECT ? 3 : 0];
	return titles[has_places ? LIVE_PLACES : v->table][column];
}

/* "+1.20 MiB", "-12 B", "0": a sign tells growth from an amount. */
static const char *format_change(char text[UNITS_LENGTH + 1], double bytes)
{
	if (fabs(bytes) < 0.5)
		return strcpy(text, "0");
	text[0] = bytes < 0 ? '-' : '+';
	units_bytes(text + 1, units_whole(fabs(bytes) + 0.5));
	return text;
}

/* "9,999,999", then "10.0 M". */
static const char *format_count(char text[UNITS_LENGTH + 1], int64_t count)
{
	static const char unit[] = "MGTPE";
	const uint64_t size = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
	double value = (double)size / 1e6;
	int i = 0;

	text[0] = '-';
	if (size < COUNT_WHOLE) {
		units_grouped(count < 0 ? text + 1 : text, size);
		return text;
	}
	for (; value >= 999.5; value /= 1000)
		i++;
	snprintf(text, UNITS_LENGTH, "%s%.*f %c", count < 0 ? "-" : "", value < 99.95, value,
		 unit[i]);
	return text;
}

static const char *format_bytes(char text[UNITS_LENGTH + 1], int64_t bytes)
{
	if (bytes < 0)
		return format_change(text, (double)bytes);
	return units_bytes(text, (uint64_t)bytes);
}

const char *cells_figure(char text[UNITS_LENGTH + 1], const struct live_row *row,
			 enum live_column column)
{
	switch (column) {
	case LIVE_TOTAL: return units_bytes(text, row->values.total);
	case LIVE_BLOCKS: return format_count(text, row->values.blocks);
	case LIVE_RATE: return format_change(text, row->rate);
	case LIVE_SINCE: return format_change(text, (double)row->since);
	default: return format_bytes(text, row->values.bytes);
	}
}

const char *cells_bounds(char text[BOUNDS_LENGTH], const struct view *v,
			 const struct live_row *row)
{
	if (!cells_have_bounds(v))
		return strcpy(text, "");
	return bounds_bytes(text, &row->values.error, row->values.bytes, v->now.distance);
}

bool cells_have_bounds(const struct view *v)
{
	return v->now.distance > 0 && (v->table == LIVE_PLACES || v->table == LIVE_CALLERS);
}

char *cells_cut(const char *text, unsigned int width)
{
	size_t used = 0, size = strlen(text);
	unsigned int columns = 0;

	if (terminal_width(text, size) <= width)
		return xstrdup(text);
	while (used < size) {
		bool is_shown;
		size_t length = terminal_character(text + used, size - used, &is_shown);

		columns += terminal_width(text + used, length);
		if (columns + 1 > width)
			break;
		used += length;
	}
	return width > 0 ? xasprintf("%.*s~", (int)used, text) : xstrdup("");
}

/* A path keeps its end. */
static char *cut_path(const char *text, unsigned int width)
{
	size_t size = strlen(text);

	while (terminal_width(text, size) + 3 > width && size > 0) {
		bool is_shown;
		size_t length = terminal_character(text, size, &is_shown);

		text += length;
		size -= length;
	}
	return xasprintf("...%s", text);
}

static char *fit_function(const char *name, const char *line, unsigned int width)
{
	const unsigned int rest = terminal_width(line, strlen(line));
	char *fitting, *text;

	if (rest + NAME_LEAST > width)
		line = "";
	fitting = shorten_name(name, strlen(name), *line ? width - rest : width);
	text = xasprintf("%s%s", fitting, line);
	free(fitting);
	fitting = cells_cut(text, width);
	free(text);
	return fitting;
}

/* The lines of a tree before a name, in at most half of WIDTH: the innermost are left out. */
static char *format_branch(const struct live_branch *b, unsigned int width, bool has_utf8)
{
	const char *bar = has_utf8 ? "\u2502 " : "| ", *head = has_utf8 ? "\u251c " : "|-";
	const char *last = has_utf8 ? "\u2514 " : "`-";
	const unsigned int room = width == 0 ? b->depth : width / 4;
	char *text = xstrdup(""), *longer;

	for (unsigned int i = b->depth > room ? b->depth - room : 0; i < b->depth; i++) {
		const char *piece = b->bars >> i & 1 ? bar : "  ";

		if (b->is_head && i + 1 == b->depth)
			piece = b->is_last ? last : head;
		longer = xasprintf("%s%s", text, piece);
		free(text);
		text = longer;
	}
	return text;
}

static bool is_path(const struct view *v, const struct live_row *row)
{
	const enum top_kind group = v->table == LIVE_PLACES ? v->group :
				    row->branch.depth == 0 ? v->callers.group : v->callers.names;

	return group == TOP_BY_FILE || group == TOP_BY_OBJECT;
}

static char *fit_name(const struct view *v, const struct live_row *row, unsigned int width)
{
	char *name = xstrdup(strings_get(&v->places.names, row->key)), *result;
	char *line = strchr(name, LIVE_NAME_PARTS);
	unsigned int whole;

	if (line)
		*line++ = '\0';
	whole = terminal_width(name, strlen(name));
	whole += line ? terminal_width(line, strlen(line)) : 0;
	if (width == 0 || whole <= width)
		result = xasprintf("%s%s", name, line ? line : "");
	else if (v->table == LIVE_THREADS || v->table == LIVE_PROCESSES)
		result = cells_cut(name, width);
	else if (is_path(v, row))
		result = cut_path(name, width);
	else
		result = fit_function(name, line ? line : "", width);
	free(name);
	return result;
}

char *cells_name(const struct view *v, const struct live_row *row, unsigned int width,
		 bool has_utf8)
{
	char *branch = format_branch(&row->branch, width, has_utf8), *name, *text;

	name = fit_name(v, row, width ? width - terminal_width(branch, strlen(branch)) : 0);
	text = xasprintf("%s%s", branch, name);
	free(branch);
	free(name);
	return text;
}
