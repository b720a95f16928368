/* output.c -- The last lines that the program of a live view has written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "cli/xmalloc.h"

enum { TAB = 8, ESCAPE = 27 };

/* Returns the length of an escape sequence: ESC [ parameters letter, ESC ] text BEL, ESC letter. */
static size_t escape_length(const char *text, size_t size)
{
	size_t length = 2;

	if (size < 2)
		return size;
	if (text[1] == '[') {
		while (length < size && text[length] >= ' ' && text[length] < '@')
			length++;
		return length < size ? length + 1 : size;
	}
	if (text[1] == ']') {
		while (length < size && text[length] != '\a' && text[length] != ESCAPE)
			length++;
		return length < size && text[length] == '\a' ? length + 1 : length;
	}
	return length;
}

/* Each byte becomes TAB ones at most. */
static char *clean_line(const char *text, size_t size)
{
	char *line = xmalloc(size * TAB + 1);
	size_t used = 0, i = 0;

	/* The end of a line as terminals have it restarts nothing. */
	if (size > 0 && text[size - 1] == '\r')
		size--;
	while (i < size) {
		if (text[i] == ESCAPE) {
			i += escape_length(text + i, size - i);
			continue;
		}
		if (text[i] == '\t') {
			do
				line[used++] = ' ';
			while (used % TAB);
		} else if (text[i] == '\r') {
			used = 0;
		} else {
			line[used++] = text[i] ? text[i] : '?';
		}
		i++;
	}
	line[used] = '\0';
	terminal_clean_text(line);
	return line;
}

void output_split(struct live_output *o, const char *text, size_t size)
{
	size_t room = 0;

	output_free(o);
	for (size_t i = 0; i < size; i++)
		room += text[i] == '\n';
	o->line = xcalloc(room + 2, sizeof(*o->line));
	for (size_t at = 0; at < size;) {
		const char *end = memchr(text + at, '\n', size - at);
		const size_t length = end ? (size_t)(end - text) - at : size - at;

		o->line[o->count++] = clean_line(text + at, length);
		at += length + 1;
	}
}

/* The first line is incomplete if it is not the first of the file. */
static void drop_first_line(const char **text, size_t *size)
{
	const char *end = memchr(*text, '\n', *size);

	if (!end)
		return;
	*size -= (size_t)(end + 1 - *text);
	*text = end + 1;
}

bool output_read(struct live_output *o)
{
	struct stat st;
	char *data;
	const char *text;
	uint64_t from;
	ssize_t n;
	size_t size;

	if (o->fd < 0 || fstat(o->fd, &st) < 0 || (uint64_t)st.st_size == o->size)
		return false;
	o->size = (uint64_t)st.st_size;
	from = o->size > OUTPUT_TAIL ? o->size - OUTPUT_TAIL : 0;
	text = data = xmalloc(OUTPUT_TAIL);
	n = pread(o->fd, data, OUTPUT_TAIL, (off_t)from);
	size = n > 0 ? (size_t)n : 0;
	o->is_cut = from > 0;
	if (o->is_cut)
		drop_first_line(&text, &size);
	output_split(o, text, size);
	free(data);
	return true;
}

void output_free(struct live_output *o)
{
	for (uint32_t i = 0; i < o->count; i++)
		free(o->line[i]);
	free(o->line);
	o->line = NULL;
	o->count = 0;
}
