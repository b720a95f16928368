/* cli_layout.c -- a report on a terminal has no line that is too wide, breaks no frame, loses no
 * word, and cuts no character in two; elsewhere its lines are as they were written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shorten.h"
#include "cli/terminal.h"
#include "tests/lib/random.h"
#include "tests/lib/tap.h"

#define FRAME(name, line) LAYOUT_FRAME name LAYOUT_FRAME_LINE " (" line ")" LAYOUT_FRAME_END
#define FIGURES "   1.15 MiB " LAYOUT_STRONG " 50.4%" LAYOUT_PLAIN "            88  " LAYOUT_TEXT
#define BELOW "                                  " LAYOUT_TEXT " "

/* What a report looks like, until the next call. */
static const char *laid_out(const char *report, unsigned int columns, bool has_color)
{
	static char *text;
	size_t length;
	FILE *out, *page;

	free(text);
	out = open_memstream(&text, &length);
	page = layout_open(out, (struct layout_style){ columns, has_color });
	fputs(report, page);
	fclose(page);
	fclose(out);
	return text;
}

static void test_lines(void)
{
	static const struct {
		const char *text;
		unsigned int columns;
		const char *want;
	} cases[] = {
		{ "", 40, "" },
		{ "\n\n", 40, "\n\n" },
		{ "no end", 40, "no end" },
		{ "a paragraph of" LAYOUT_NEWLINE "two lines\n", 0, "a paragraph of\ntwo lines\n" },
		{ "a paragraph of" LAYOUT_NEWLINE "two lines\n", 40, "a paragraph of two lines\n" },
		{ "a paragraph of" LAYOUT_NEWLINE "two lines\n", 20, "a paragraph of two\nlines\n" },
		{ "   20.0 KiB   0%  stacks of all its threads\n", 40,
		  "   20.0 KiB   0%  stacks of all its\n                  threads\n" },
		{ FIGURES FRAME("parse", "a.c:1") "\n" BELOW "called by " FRAME("main", "a.c:2") "\n", 0,
		  "   1.15 MiB  50.4%            88  parse (a.c:1)\n"
		  "                                   called by main (a.c:2)\n" },
		{ FIGURES FRAME("parse", "a.c:1") "\n" BELOW "called by " FRAME("main", "a.c:2") "\n", 80,
		  "   1.15 MiB  50.4%            88  parse (a.c:1)\n"
		  "                                   called by main (a.c:2)\n" },
		{ FIGURES FRAME("parse", "a.c:1") "\n" BELOW "called by " FRAME("load", "a.c:2") ", "
		  FRAME("main", "a.c:3") "\n", 40,
		  "   1.15 MiB  50.4%            88\n    parse (a.c:1)\n"
		  "     called by load (a.c:2),\n       main (a.c:3)\n" },
		/* Figures that have no mark, and the lines of a function. */
		{ "   1.15 MiB  50.4%            88  parse parse parse parse parse parse parse "
		  "parse\n" FIGURES "  a.c:26\n", 80,
		  "   1.15 MiB  50.4%            88  parse parse parse parse parse parse parse\n"
		  "                                  parse\n"
		  "   1.15 MiB  50.4%            88    a.c:26\n" },
		{ FIGURES "  a.c:26\n", 60, "   1.15 MiB  50.4%            88\n      a.c:26\n" },
		{ FRAME("a::rather::long::name::of::function", "file.c:10") " allocated 5%\n", 40,
		  "a::rather::long::name::of::function\n  (file.c:10) allocated 5%\n" },
		{ FRAME("a::rather::long::name::of::a::function", "file.c:10") " allocated 5%\n", 30,
		  "...::name::of::a::function\n  (file.c:10) allocated 5%\n" },
		{ "   1.50 MiB  75.0%  " LAYOUT_TEXT "|- " LAYOUT_TREE
		  FRAME("allocate_the_buffer", "buffers.c:1200") "\n", 50,
		  "   1.50 MiB  75.0%\n    |- allocate_the_buffer (buffers.c:1200)\n" },
		{ "   1.50 MiB  75.0%  " LAYOUT_TEXT "|  `- " LAYOUT_TREE
		  FRAME("allocate_all_the_buffers", "buffers.c:1200") " (recursive)\n", 60,
		  "   1.50 MiB  75.0%  |  `- allocate_all_the_buffers\n"
		  "                    |       (buffers.c:1200) (recursive)\n" },
		/* Deep in a tree the outer levels are left out. */
		{ "   1.50 MiB  75.0%  " LAYOUT_TEXT "|  |  |  |  |  |  `- " LAYOUT_TREE
		  FRAME("leaf", "a.c:1") "\n", 60,
		  "   1.50 MiB  75.0%  +5 |  `- leaf (a.c:1)\n" },
		{ "   1.50 MiB  75.0%  " LAYOUT_TEXT "|  |  `- " LAYOUT_TREE
		  FRAME("leaf", "a.c:1") "\n", 60, "   1.50 MiB  75.0%  |  |  `- leaf (a.c:1)\n" },
		{ "   1.50 MiB  75.0%  " LAYOUT_TEXT "|  |  |  |  |  |  |  |  |  |  |  |- " LAYOUT_TREE
		  FRAME("allocate_the_buffer", "buffers.c:1200") "\n", 60,
		  "   1.50 MiB  75.0%  +10|  |- allocate_the_buffer\n"
		  "                    +10|  |    (buffers.c:1200)\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EQ_S(laid_out(cases[i].text, cases[i].columns, false), cases[i].want);
}

static void test_colors(void)
{
	EQ_S(laid_out(LAYOUT_TITLE "  a b  " LAYOUT_TEXT "c d\n", 0, true),
	     "  \033[4ma b\033[0m  \033[4mc d\033[0m\n");
	/* A look does not reach over the end of a line into an indent. */
	EQ_S(laid_out("one " LAYOUT_STRONG "twentytwentytwenty three" LAYOUT_PLAIN " four\n", 20, true),
	     "one\n\033[1;35mtwentytwentytwenty\033[0m\n\033[1;35mthree\033[0m four\n");
	/* Names that figures belong to are bold, callers are not. */
	EQ_S(laid_out(FIGURES FRAME("f", "a.c:1") "\n" BELOW "called by " FRAME("g", "a.c:2") "\n", 80,
		      true),
	     "   1.15 MiB \033[1;35m 50.4%\033[0m            88  \033[1mf\033[0m (a.c:1)\n"
	     "                                   called by g (a.c:2)\n");
	EQ_S(laid_out(FRAME("f", "a.c:1") " allocated\n", 0, true), "\033[1mf\033[0m (a.c:1) allocated\n");
}

static void test_names(void)
{
	static const struct {
		const char *name;
		unsigned int room;
		const char *want;
	} cases[] = {
		{ "main", 8, "main" },
		{ "a::b::Session::lookup", 21, "a::b::Session::lookup" },
		{ "a::b::Session::lookup", 20, "...::Session::lookup" },
		{ "a::b::Session::lookup", 19, "...::lookup" },
		{ "a::b::Session::lookup", 10, "lookup" },
		{ "std::map<a::b, c::d>::find", 12, "...::find" },
		{ "parse_configuration_file", 15, "parse_...n_file" },
		{ "parse_configuration_file", 3, "par...le" },
		{ "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc", 8,
		  "\u00e4\u00f6\u00fc...\u00f6\u00fc" },
		{ "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e", 9, "\u65e5...\u672c\u8a9e" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = shorten_name(cases[i].name, strlen(cases[i].name), cases[i].room);

		EQ_S(text, cases[i].want);
		free(text);
	}
}

/* ---- random stacks ------------------------------------------------------------------------- */

enum { STACKS = 40, FRAMES = 6, LONGEST = 200 };

struct stack {
	char name[FRAMES][LONGEST];	/* with its source line */
	char text[FRAMES * (LONGEST + 16)];
	unsigned int widest;		/* columns of the widest name, or source line */
	int count;
};

static unsigned int random_below(unsigned int limit)
{
	return (unsigned int)(next_random() % limit);
}

static void append_letters(char *to, unsigned int count)
{
	static const char *const letters[] = { "a", "b", "_", "x", "\u00e9", "\u4e2d", "Z" };

	for (to += strlen(to); count > 0; count--)
		to = stpcpy(to, letters[random_below(7)]);
}

/* Makes the two lines of a place and its callers. */
static void make_stack(struct stack *s, unsigned int longest)
{
	char *to = s->text;

	s->count = 1 + (int)random_below(FRAMES);
	s->widest = 0;
	for (int i = 0; i < s->count; i++) {
		char function[LONGEST] = "", line[32];
		unsigned int width;

		for (unsigned int parts = random_below(3); parts > 0; parts--) {
			append_letters(function, 1 + random_below(longest / 6));
			strcat(function, "::");
		}
		append_letters(function, 1 + random_below(longest / 3));
		snprintf(line, sizeof(line), "(f.c:%u)", random_below(9999));
		snprintf(s->name[i], LONGEST, "%s %s", function, line);
		width = terminal_width(function, strlen(function));
		s->widest = width > s->widest ? width : s->widest;
		to += sprintf(to, "%s" LAYOUT_FRAME "%s" LAYOUT_FRAME_LINE " %s" LAYOUT_FRAME_END,
			      i == 0 ? FIGURES : i == 1 ? "\n" BELOW "called by " : ", ", function,
			      line);
	}
	strcpy(to, "\n");
}

/* Without indents, line ends and blanks. */
static const char *joined(const char *text)
{
	static char to[2][sizeof(((struct stack *)NULL)->text) * 2];
	static int last;
	char *at = to[last ^= 1];

	for (; *text; text++) {
		if (!isspace((unsigned char)*text))
			*at++ = *text;
	}
	*at = '\0';
	return to[last];
}

static bool lines_fit(const char *text, unsigned int columns)
{
	for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
		if (terminal_width(text, (size_t)(end - text)) > columns)
			return false;
	}
	return true;
}

static bool is_utf8(const char *text)
{
	for (size_t left = strlen(text), size; left > 0; left -= size, text += size) {
		bool is_shown;

		size = terminal_character(text, left, &is_shown);
		if (size == 1 && (unsigned char)*text >= 0x80)
			return false;
	}
	return true;
}

/* Whether a line break is where a blank was, and so not inside of a name or of "(f.c:12)". */
static bool keeps_words(const char *text, const struct stack *s)
{
	for (int i = 0; i < s->count; i++) {
		char name[LONGEST], *line;

		strcpy(name, s->name[i]);
		line = strstr(name, " (");
		*line++ = '\0';
		if (!strstr(text, name) || !strstr(text, line))
			return false;
	}
	return true;
}

static void test_random_stacks(void)
{
	unsigned int wide = 0, lost = 0, broken = 0, cut = 0, split = 0, longer = 0;

	for (int i = 0; i < STACKS; i++) {
		struct stack s;
		char plain[sizeof(s.text) + 64];

		make_stack(&s, i % 2 ? 30 : 120);
		strcpy(plain, laid_out(s.text, 0, false));
		for (unsigned int columns = 20; columns <= 200; columns++) {
			/* The indents of a list of callers, and the comma. */
			const bool fits = s.widest + 8 <= (columns >= 74 ? columns - 38 : columns);
			const char *text = laid_out(s.text, columns, i % 3 == 0);

			if (i % 3 == 0) {
				cut += !is_utf8(text);
				continue;
			}
			wide += !lines_fit(text, columns);
			cut += !is_utf8(text);
			if (fits) {
				lost += strcmp(joined(text), joined(plain)) != 0;
				broken += !keeps_words(text, &s);
			}
			/* A frame that a line can hold stands in one. */
			for (int k = 0; k < s.count && columns >= 80; k++) {
				const char *name = s.name[k];

				split += terminal_width(name, strlen(name)) + 38 <= columns &&
					 !strstr(text, name);
			}
			longer += strlen(text) > 4 * strlen(plain) + 400;
		}
	}
	EQ_U(wide, 0);
	EQ_U(lost, 0);
	EQ_U(broken, 0);
	EQ_U(cut, 0);
	EQ_U(split, 0);
	EQ_U(longer, 0);
}

int main(void)
{
	test_lines();
	test_colors();
	test_names();
	test_random_stacks();
	return done_testing();
}
