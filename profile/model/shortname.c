/* shortname.c -- names of functions that fit on a line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/shortname.h"

#include <ctype.h>
#include <string.h>

/* The name is read once, from left to right, outside of brackets. */
struct reader {
	const char *at;
	char *out;
	size_t used;
	size_t size;
	bool is_operator;	/* a blank belongs to the name: "operator new" */
};

/* What does not fit pushes out what came first. */
static void put(struct reader *r, const char *text, size_t length)
{
	if (length >= r->size) {
		text += length - (r->size - 1);
		length = r->size - 1;
	}
	if (r->used + length >= r->size) {
		size_t over = r->used + length - (r->size - 1);

		memmove(r->out, r->out + over, r->used - over);
		r->used -= over;
		memcpy(r->out, "...", r->used < 3 ? r->used : 3);
	}
	memcpy(r->out + r->used, text, length);
	r->used += length;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Behind the bracket that closes the one at AT; at the end if there is none. */
static const char *behind(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		if (*at == '-' && at[1] == '>')
			at++;
		else if (strchr("<({[", *at))
			depth++;
		else if (strchr(">)}]", *at) && --depth == 0)
			return at + 1;
	}
	return at;
}

/* "operator<<" and the like, whose marks are no brackets. */
static void read_operator(struct reader *r)
{
	static const char *const marks[] = { "()", "[]", "<=>", "<<=", ">>=", "<<", ">>", "<=",
					     ">=", "->*", "->", "<", ">" };

	put(r, r->at, strlen("operator"));
	r->at += strlen("operator");
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (begins(r->at, marks[i])) {
			put(r, marks[i], strlen(marks[i]));
			r->at += strlen(marks[i]);
			/* Template arguments of such an operator come behind a blank. */
			if (begins(r->at, " <"))
				r->at = behind(r->at + 1);
			return;
		}
	r->is_operator = true;
}

/* Parameters end a name, unless it goes on with what is local to the function. */
static void read_round(struct reader *r)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *end = behind(r->at);

	if (begins(r->at, anonymous)) {
		put(r, anonymous, strlen(anonymous));
		r->at = end;
		return;
	}
	if (begins(end, " const"))
		end += strlen(" const");
	r->at = begins(end, "::") ? end : "";
}

/* Rust's <TYPE as TRAIT>::method is the method of the type; elsewhere these are arguments. */
static void read_angle(struct reader *r)
{
	const char *end = behind(r->at);

	if (r->used > 0) {
		put(r, "<>", 2);
		r->at = end;
		return;
	}
	put(r, "<", 1);
	for (r->at++; r->at < end - 1 && !begins(r->at, " as "); ) {
		if (*r->at == '<') {
			put(r, "<>", 2);
			r->at = behind(r->at);
		} else {
			put(r, r->at++, 1);
		}
	}
	put(r, ">", 1);
	r->at = end;
}

/* "{lambda(int)#1}", "{closure#0}" */
static void read_curly(struct reader *r)
{
	const char *end = behind(r->at);

	while (r->at < end)
		if (*r->at == '(')
			r->at = behind(r->at);
		else
			put(r, r->at++, 1);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void read_all(struct reader *r, const char *name)
{
	while (*r->at) {
		bool is_start = r->at == name || !is_word(r->at[-1]);

		if (is_start && begins(r->at, "operator") && !is_word(r->at[8])) {
			read_operator(r);
		} else if (*r->at == '(') {
			read_round(r);
		} else if (*r->at == '<') {
			read_angle(r);
		} else if (*r->at == '{') {
			read_curly(r);
		} else {
			/* What came before a blank was a type. */
			if (*r->at == ' ' && !r->is_operator)
				r->used = 0;
			else
				put(r, r->at, 1);
			r->at++;
		}
	}
}

char *shortname(const char *name, char *buffer, size_t size)
{
	struct reader r = { .at = name, .out = buffer, .size = size };

	/* A name of C, or none that we know: as it is. */
	if ((strpbrk(name, "(<{") && name[0] != '(') || begins(name, "(anonymous namespace)"))
		read_all(&r, name);
	if (r.used == 0)
		put(&r, name, strlen(name));
	buffer[r.used] = '\0';
	return buffer;
}

static bool is_one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (begins(text, *list))
			return true;
	return false;
}

static bool holds_one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (strstr(text, *list))
			return true;
	return false;
}

bool shortname_is_runtime(const char *name, const char *file, const char *object)
{
	static const char *const names[] = { "std::", "__gnu_cxx::", "operator new",
					     "operator delete", "alloc::", "core::",
					     "hashbrown::", "<alloc::", "<core::", "<std::",
					     "<hashbrown::", "__rust_", "__rdl_", "_Zn", NULL };
	static const char *const files[] = { "/include/c++/", "/rustc/", "/libstdc++-v3/", NULL };
	static const char *const objects[] = { "libc.so", "libc-2", "libstdc++.so", "libc++",
					       "ld-linux", "libgcc_s", "libpthread",
					       "linux-vdso", NULL };
	const char *slash = strrchr(object, '/');
	char text[256];

	return is_one_of(slash ? slash + 1 : object, objects) || holds_one_of(file, files) ||
	       is_one_of(shortname(name, text, sizeof(text)), names);
}

bool shortname_is_wrapper(const char *name)
{
	static const char *const verbs[] = { "malloc", "calloc", "realloc", "zalloc", "memalign",
					     "strdup", "strndup", "memdup", NULL };
	char text[256];
	const char *last = shortname(name, text, sizeof(text));

	for (const char *at = last; (at = strstr(at, "::")) != NULL;)
		last = at += 2;
	for (size_t i = 0; verbs[i]; i++)
		if (strcasestr(last, verbs[i]))
			return true;
	return false;
}
