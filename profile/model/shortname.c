/* shortname.c -- names of functions that fit on a line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/shortname.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* The name is read once, from left to right, outside of brackets. */
struct name_reader {
	const char *at;
	char *out;
	size_t used;
	size_t size;
	bool is_cut;		/* the beginning was pushed out */
	bool is_operator;	/* a blank belongs to the name: "operator new" */
};

/* Text that does not fit pushes out the oldest. */
static void append_short_text(struct name_reader *r, const char *text, size_t length)
{
	if (length >= r->size) {
		text += length - (r->size - 1);
		length = r->size - 1;
		r->is_cut = true;
	}
	if (r->used + length >= r->size) {
		size_t over = r->used + length - (r->size - 1);

		memmove(r->out, r->out + over, r->used - over);
		r->used -= over;
		r->is_cut = true;
	}
	memcpy(r->out + r->used, text, length);
	r->used += length;
}

static bool has_prefix(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Behind the bracket that closes the one at AT; at the end if there is none. */
static const char *skip_template_arguments(const char *at)
{
	int depth = 0;

	/* Most of a long name is read here: one strchr per character took a third of the time of a
	 * report on a C++ program. */
	for (; *at; at++) {
		switch (*at) {
		case '-':
			if (at[1] == '>')
				at++;
			break;
		case '<': case '(': case '{': case '[':
			depth++;
			break;
		case '>': case ')': case '}': case ']':
			if (--depth == 0)
				return at + 1;
			break;
		}
	}
	return at;
}

/* "operator<<" and the like, whose marks are no brackets. */
static void read_operator(struct name_reader *r)
{
	static const char *const marks[] = { "()", "[]", "<=>", "<<=", ">>=", "<<", ">>", "<=",
					     ">=", "->*", "->", "<", ">" };

	append_short_text(r, r->at, strlen("operator"));
	r->at += strlen("operator");
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (has_prefix(r->at, marks[i])) {
			append_short_text(r, marks[i], strlen(marks[i]));
			r->at += strlen(marks[i]);
			/* Template arguments of such an operator come behind a blank. */
			if (has_prefix(r->at, " <"))
				r->at = skip_template_arguments(r->at + 1);
			return;
		}
	r->is_operator = true;
}

/* Parameters end a name, unless it goes on with what is local to the function. */
static void shorten_parentheses(struct name_reader *r)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *end = skip_template_arguments(r->at);

	if (has_prefix(r->at, anonymous)) {
		append_short_text(r, anonymous, strlen(anonymous));
		r->at = end;
		return;
	}
	/* A method of Go: "runtime.(*mheap).init" */
	if (r->used > 0 && r->out[r->used - 1] == '.' && r->at[1] == '*') {
		append_short_text(r, r->at, (size_t)(end - r->at));
		r->at = end;
		return;
	}
	if (has_prefix(end, " const"))
		end += strlen(" const");
	r->at = has_prefix(end, "::") ? end : "";
}

/* Rust's <TYPE as TRAIT>::method is the method of the type; elsewhere these are arguments. */
static void shorten_angle_brackets(struct name_reader *r)
{
	const char *end = skip_template_arguments(r->at);

	if (r->used > 0) {
		append_short_text(r, "<>", 2);
		r->at = end;
		return;
	}
	append_short_text(r, "<", 1);
	for (r->at++; r->at < end - 1 && !has_prefix(r->at, " as "); ) {
		if (*r->at == '<') {
			append_short_text(r, "<>", 2);
			r->at = skip_template_arguments(r->at);
		} else {
			append_short_text(r, r->at++, 1);
		}
	}
	append_short_text(r, ">", 1);
	r->at = end;
}

/* "{lambda(int)#1}", "{closure#0}" */
static void shorten_curly_braces(struct name_reader *r)
{
	const char *end = skip_template_arguments(r->at);

	while (r->at < end)
		if (*r->at == '(')
			r->at = skip_template_arguments(r->at);
		else
			append_short_text(r, r->at++, 1);
}

static bool is_word_character(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void shorten_whole_name(struct name_reader *r, const char *name)
{
	while (*r->at) {
		bool is_start = r->at == name || !is_word_character(r->at[-1]);

		if (is_start && has_prefix(r->at, "operator") && !is_word_character(r->at[8])) {
			read_operator(r);
		} else if (*r->at == '(') {
			shorten_parentheses(r);
		} else if (*r->at == '<') {
			shorten_angle_brackets(r);
		} else if (*r->at == '{') {
			shorten_curly_braces(r);
		} else {
			/* The text before a blank was a type. */
			if (*r->at == ' ' && !r->is_operator) {
				r->used = 0;
				r->is_cut = false;
			} else {
				append_short_text(r, r->at, 1);
			}
			r->at++;
		}
	}
}

char *shortname(const char *name, char *buffer, size_t size)
{
	struct name_reader r = { .at = name, .out = buffer, .size = size };

	/* A name of C, Python, "py::<module>:a.py", V8, or none that we know: as it is. */
	if (!has_prefix(name, "py::") && !has_prefix(name, "JS:") &&
	    ((strpbrk(name, "(<{") && name[0] != '(') || has_prefix(name, "(anonymous namespace)")))
		shorten_whole_name(&r, name);
	if (r.used == 0)
		append_short_text(&r, name, strlen(name));
	if (r.is_cut)
		memcpy(buffer, "...", 3);
	buffer[r.used] = '\0';
	return buffer;
}
