/* layout.c -- Lays out reports for the width and the colours of a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/layout.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/shorten.h"
#include "cli/terminal.h"
#include "cli/xmalloc.h"

enum {
	TEXT_ROOM = 40,		/* columns that names need next to figures; else they go below */
	TREE_ROOM = 30,		/* ... and next to the lines of a tree, which are cut else */
	TREE_STEP = 3,		/* columns of a level of a tree */
	NARROW_INDENT = 4,	/* of text below its figures */
	REST_INDENT = 2,	/* of the rest of a line with frames, beyond the first part */
	WIDE_FIGURES = 24,	/* columns of figures that names follow, not sentences */
	FIGURES_MOST = 36	/* columns of figures in a line without LAYOUT_TEXT */
};

/* The characters of the marks in layout.h. */
enum {
	MARK_TEXT = '\001', MARK_TREE = '\002', MARK_FRAME = '\003', MARK_FRAME_LINE = '\004',
	MARK_FRAME_END = '\005', MARK_NEWLINE = '\006', MARK_STRONG = '\016',
	MARK_TITLE = '\017', MARK_PLAIN = '\020'
};

/* A text that is being written, and the line that it is in. */
struct pen {
	FILE *out;
	struct layout_style style;
	unsigned int column;	/* that the next character gets */
	unsigned int indent;	/* of the text, in all its lines */
	unsigned int rest;	/* ... and in all but the first */
	char *tree;		/* the lines of a tree before the text, owned */
	bool is_first;		/* the text is in its first line */
	bool is_fresh;		/* ... and this line has nothing of it yet */
	bool has_bold_names;
	char look;		/* asked for: MARK_STRONG, MARK_TITLE, MARK_FRAME; 0: plain */
	char shown;		/* ... and what the terminal has been told */
};

static bool is_mark(char c)
{
	switch (c) {
	case MARK_TEXT: case MARK_TREE: case MARK_FRAME: case MARK_FRAME_LINE:
	case MARK_FRAME_END: case MARK_NEWLINE: case MARK_STRONG: case MARK_TITLE:
	case MARK_PLAIN:
		return true;
	default:
		return false;
	}
}

static unsigned int count_columns(const char *text, const char *end)
{
	unsigned int marks = 0;

	for (const char *at = text; at < end; at++)
		marks += is_mark(*at);
	return terminal_width(text, (size_t)(end - text)) - marks;
}

/* ---- the pen ------------------------------------------------------------------------------- */

static void show_look(struct pen *pen, char look)
{
	if (!pen->style.has_color || look == pen->shown)
		return;
	if (pen->shown)
		fputs(COLOR_PLAIN, pen->out);
	if (look)
		fputs(look == MARK_STRONG ? COLOR_STRONG :
		      look == MARK_TITLE  ? COLOR_TITLE :
					    COLOR_NAME, pen->out);
	pen->shown = look;
}

static void obey_mark(struct pen *pen, char mark)
{
	switch (mark) {
	case MARK_STRONG:
	case MARK_TITLE:
		pen->look = mark;
		break;
	case MARK_FRAME:
		pen->look = pen->has_bold_names ? mark : 0;
		break;
	case MARK_PLAIN:
	case MARK_FRAME_LINE:
	case MARK_FRAME_END:
		pen->look = 0;
		break;
	case MARK_NEWLINE:
		putc('\n', pen->out);
		break;
	}
}

static void put_text(struct pen *pen, const char *text, const char *end)
{
	pen->column += count_columns(text, end);
	for (const char *at = text; at < end; at++) {
		/* The gap between two titles is not underlined. */
		bool is_gap = *at == ' ' && pen->look == MARK_TITLE &&
			      (at == text || at[-1] == ' ' || at + 1 == end || at[1] == ' ');

		if (is_mark(*at)) {
			obey_mark(pen, *at);
			continue;
		}
		show_look(pen, is_gap && end > text + 1 ? 0 : pen->look);
		putc(*at, pen->out);
	}
}

static void put_blanks(struct pen *pen, unsigned int count)
{
	show_look(pen, 0);
	pen->column += count;
	fprintf(pen->out, "%*s", (int)count, "");
}

static void end_line(struct pen *pen)
{
	show_look(pen, 0);
	putc('\n', pen->out);
	pen->column = 0;
}

static void continue_in_next_line(struct pen *pen)
{
	end_line(pen);
	put_blanks(pen, pen->indent);
	put_text(pen, pen->tree, pen->tree + strlen(pen->tree));
	put_blanks(pen, pen->rest);
	pen->is_first = false;
	pen->is_fresh = true;
}

/* ---- words --------------------------------------------------------------------------------- */

/* A frame with what belongs to it is a word; elsewhere blanks end one. */
static const char *find_word_end(const char *at, const char *end)
{
	bool is_in_frame = false;

	for (; at < end; at++) {
		if (*at == MARK_FRAME)
			is_in_frame = true;
		else if (*at == MARK_FRAME_END)
			is_in_frame = false;
		else if (!is_in_frame && (*at == ' ' || *at == MARK_NEWLINE))
			break;
	}
	return at;
}

static const char *find_mark(char mark, const char *at, const char *end)
{
	return memchr(at, mark, (size_t)(end - at));
}

/* Puts a word that no line can hold, at the beginning of one. */
static void put_long_frame(struct pen *pen, const char *word, const char *end)
{
	const char *name = find_mark(MARK_FRAME, word, end) + 1;
	const char *name_end = find_mark(MARK_FRAME_LINE, name, end);
	const bool is_first = pen->is_first;
	unsigned int room = pen->style.columns;
	char *shorter;

	if (!name_end)
		name_end = find_mark(MARK_FRAME_END, name, end);
	put_text(pen, word, name);
	room = room > pen->column ? room - pen->column : 0;
	shorter = shorten_name(name, (size_t)(name_end - name), room);
	put_text(pen, shorter, shorter + strlen(shorter));
	free(shorter);
	obey_mark(pen, *name_end++);
	while (name_end < end && *name_end == ' ')
		name_end++;
	if (count_columns(name_end, end) == 0)
		return;
	if (pen->column + 1 + count_columns(name_end, end) > pen->style.columns) {
		continue_in_next_line(pen);
		put_blanks(pen, is_first ? 0 : REST_INDENT);
	} else {
		put_blanks(pen, 1);
	}
	put_text(pen, name_end, end);
}

static void put_word(struct pen *pen, unsigned int blanks, const char *word, const char *end)
{
	static const char two_blanks[] = "  ";
	const unsigned int columns = count_columns(word, end);

	if (!pen->is_fresh && pen->column + blanks + columns > pen->style.columns)
		continue_in_next_line(pen);
	if (!pen->is_fresh)
		put_text(pen, two_blanks, &two_blanks[blanks < 2 ? blanks : 2]);
	if (pen->column + columns > pen->style.columns && find_mark(MARK_FRAME_END, word, end))
		put_long_frame(pen, word, end);
	else
		put_text(pen, word, end);
	pen->is_fresh = false;
}

static void put_words(struct pen *pen, const char *at, const char *end)
{
	while (at < end) {
		unsigned int blanks = 0;
		const char *word;

		for (; at < end && (*at == ' ' || *at == MARK_NEWLINE); at++)
			blanks++;
		word = at;
		at = find_word_end(at, end);
		if (word < at)
			put_word(pen, blanks, word, at);
	}
}

/* ---- lines --------------------------------------------------------------------------------- */

/* Returns where the text of a line begins: behind its mark, else behind figures, which are set off
 * by two blanks, else behind leading blanks. */
static const char *find_line_text(const char *line, const char *end)
{
	const char *mark = find_mark(MARK_TEXT, line, end), *text = line;

	if (mark)
		return mark + 1;
	for (const char *at = line; at + 2 < end && at < line + FIGURES_MOST; at++) {
		if (at[0] == ' ' && at[1] == ' ' && at[2] != ' ')
			text = at + 2;
	}
	while (text == line && text < end && *text == ' ')
		text++;
	return text;
}

/* Returns the end of the figures before the text of a line, or LINE. */
static const char *find_figures_end(const char *line, const char *text)
{
	while (text > line && (text[-1] == ' ' || text[-1] == MARK_TEXT))
		text--;
	return text;
}

/* The names that figures belong to are bold; those below them, callers, are not. */
static bool names_are_bold(const char *line, const char *text)
{
	return *line != ' ' || find_figures_end(line, text) > line;
}

/* Puts what is before the text, and decides where the text begins. */
static void begin_text(struct pen *pen, const char *line, const char *text)
{
	const bool is_marked = text > line && text[-1] == MARK_TEXT;
	const char *last = find_figures_end(line, text);
	unsigned int room;

	pen->indent = count_columns(line, text);
	room = is_marked || pen->indent > WIDE_FIGURES ? TEXT_ROOM : TEXT_ROOM / 2;
	if (pen->indent <= NARROW_INDENT || pen->indent + room <= pen->style.columns) {
		put_text(pen, line, text);
		return;
	}
	pen->indent = NARROW_INDENT;
	if (last > line) {
		if (count_columns(line, last) > pen->style.columns)
			put_words(pen, line, last);
		else
			put_text(pen, line, last);
		end_line(pen);
	}
	put_blanks(pen, pen->indent);
}

/* Puts the lines of a tree in front of its node. The rest of the node has these lines without the
 * branch to it. Deep in a tree, the number of outer levels takes their place: "+12|  |- ". */
static void put_tree_lines(struct pen *pen, const char *tree, const char *end)
{
	const unsigned int levels = (unsigned int)(end - tree) / TREE_STEP;
	const unsigned int used = pen->indent + TREE_ROOM, columns = pen->style.columns;
	unsigned int most = columns > used ? (columns - used) / TREE_STEP : 0;

	free(pen->tree);
	if (most < 2)
		most = 2;
	if (levels > most)
		pen->tree = xasprintf("+%-2u%.*s", levels - (most - 1),
				      (int)((most - 1) * TREE_STEP),
				      end - (most - 1) * TREE_STEP);
	else
		pen->tree = xstrndup(tree, (size_t)(end - tree));
	put_text(pen, pen->tree, pen->tree + strlen(pen->tree));
	for (char *at = pen->tree; *at; at++) {
		if (*at == '-' || *at == '`')
			*at = ' ';
	}
}

static void lay_out_line(struct pen *pen, const char *line, const char *end)
{
	const char *text = find_line_text(line, end);
	const char *tree_end = find_mark(MARK_TREE, text, end);
	const char *words = tree_end ? tree_end + 1 : text;

	/* Blanks behind LAYOUT_TEXT are an indent. */
	while (!tree_end && words < end && *words == ' ')
		words++;
	pen->tree = xstrdup("");
	pen->rest = 0;
	pen->is_first = pen->is_fresh = true;
	begin_text(pen, line, text);
	put_tree_lines(pen, text, tree_end ? tree_end : words);
	pen->rest = find_mark(MARK_FRAME, words, end) ? REST_INDENT : 0;
	pen->is_first = pen->is_fresh = true;
	put_words(pen, words, end);
	free(pen->tree);
}

/* ---- the stream ---------------------------------------------------------------------------- */

struct layout {
	struct pen pen;
	char *line;		/* that has not ended yet */
	size_t length, room;
};

static void put_line(struct layout *l)
{
	struct pen *pen = &l->pen;
	const char *end = l->line + l->length;

	pen->column = 0;
	pen->look = 0;
	if (l->length > 0) {
		pen->has_bold_names = names_are_bold(l->line, find_line_text(l->line, end));
		if (pen->style.columns > 0)
			lay_out_line(pen, l->line, end);
		else
			put_text(pen, l->line, end);
	}
	l->length = 0;
}

static ssize_t write_cookie_text(void *cookie, const char *data, size_t size)
{
	struct layout *l = cookie;

	for (const char *at = data; at < data + size;) {
		const char *end = memchr(at, '\n', (size_t)(data + size - at));
		size_t part = (size_t)((end ? end : data + size) - at);

		if (l->length + part + 1 > l->room) {
			l->room = 2 * (l->length + part + 1);
			l->line = xreallocarray(l->line, l->room, 1);
		}
		memcpy(l->line + l->length, at, part);
		l->length += part;
		if (end) {
			put_line(l);
			end_line(&l->pen);
		}
		at += part + (end != NULL);
	}
	return (ssize_t)size;
}

static int close_cookie(void *cookie)
{
	struct layout *l = cookie;

	if (l->length > 0)
		put_line(l);
	show_look(&l->pen, 0);
	free(l->line);
	free(l);
	return 0;
}

struct layout_style layout_style_for(int fd, unsigned int columns, enum color_when color)
{
	struct layout_style style = { .columns = columns, .has_color = color_wanted(color, fd) };

	if (columns == 0)
		style.columns = terminal_columns(fd);
	if (style.columns > 0 && style.columns < LAYOUT_COLUMNS_MIN)
		style.columns = LAYOUT_COLUMNS_MIN;
	return style;
}

FILE *layout_open(FILE *out, struct layout_style style)
{
	static const cookie_io_functions_t hooks = { .write = write_cookie_text,
						     .close = close_cookie };
	struct layout *l = xcalloc(1, sizeof(*l));

	l->pen.out = out;
	l->pen.style = style;
	return xcheck(fopencookie(l, "w", hooks));
}
