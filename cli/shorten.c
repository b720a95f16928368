/* shorten.c -- Names of functions that fit into a number of columns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/shorten.h"

#include <string.h>

#include "cli/terminal.h"
#include "cli/xmalloc.h"

static const char gap[] = "...";

enum { GAP = sizeof(gap) - 1 };

/* Returns the first component of a name after the one at AT, or END. "::" in brackets separates
 * template arguments or parameters, not components. */
static const char *find_next_component(const char *at, const char *end)
{
	int depth = 0;

	for (; at < end; at++) {
		if (strchr("<({[", *at) && *at)
			depth++;
		else if (strchr(">)}]", *at) && *at)
			depth -= depth > 0;
		else if (depth == 0 && end - at > 2 && at[0] == ':' && at[1] == ':')
			return at + 2;
	}
	return end;
}

/* Returns the end of as many whole characters from AT on as fit into ROOM columns. */
static const char *skip_columns(const char *at, const char *end, unsigned int room)
{
	const char *next = at;

	while (next < end) {
		bool is_shown;

		next += terminal_character(next, (size_t)(end - next), &is_shown);
		if (terminal_width(at, (size_t)(next - at)) > room)
			break;
		room -= terminal_width(at, (size_t)(next - at));
		at = next;
	}
	return at;
}

/* Returns where the longest end of a text begins that fits into ROOM columns. */
static const char *find_fitting_end(const char *at, const char *end, unsigned int room)
{
	while (at < end && terminal_width(at, (size_t)(end - at)) > room) {
		bool is_shown;

		at += terminal_character(at, (size_t)(end - at), &is_shown);
	}
	return at;
}

static char *cut_middle(const char *name, const char *end, unsigned int room)
{
	const char *first = skip_columns(name, end, (room - GAP + 1) / 2);
	const char *last = find_fitting_end(
		first, end, room - GAP - terminal_width(name, (size_t)(first - name)));

	return xasprintf("%.*s%s%.*s", (int)(first - name), name, gap, (int)(end - last), last);
}

char *shorten_name(const char *name, size_t length, unsigned int room)
{
	const char *end = name + length, *at = name, *last = name;

	if (room < SHORTEN_LEAST)
		room = SHORTEN_LEAST;
	if (terminal_width(name, length) <= room)
		return xstrndup(name, length);
	while ((at = find_next_component(at, end)) < end) {
		last = at;
		if (GAP + 2 + terminal_width(at, (size_t)(end - at)) <= room)
			return xasprintf("%s::%.*s", gap, (int)(end - at), at);
	}
	if (terminal_width(last, (size_t)(end - last)) <= room)
		return xstrndup(last, (size_t)(end - last));
	return cut_middle(last, end, room);
}
