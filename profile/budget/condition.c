/* condition.c -- Parses a condition under which a run breaks its budget.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/condition.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define BLANKS " \t\r\n\v\f"

enum { WORD_LENGTH = 24, SHOWN = 40 };

static const struct {
	const char *word, *moment;	/* moment NULL: none is named */
	enum condition_metric metric;
} names[] = {
	{ "heap", "peak", CONDITION_HEAP_PEAK },   { "heap", "end", CONDITION_HEAP_END },
	{ "heap", "total", CONDITION_HEAP_TOTAL }, { "total", NULL, CONDITION_HEAP_TOTAL },
	{ "blocks", NULL, CONDITION_BLOCKS_PEAK }, { "blocks", "peak", CONDITION_BLOCKS_PEAK },
	{ "blocks", "end", CONDITION_BLOCKS_END }, { "calls", NULL, CONDITION_CALLS },
	{ "leaks", NULL, CONDITION_LEAKS },	   { "temporary", NULL, CONDITION_TEMPORARY },
	{ "stack", "peak", CONDITION_STACK_PEAK }, { "rss", "peak", CONDITION_RSS_PEAK },
	{ "mmap", "peak", CONDITION_MMAP_PEAK },
};

enum { NAMES = sizeof(names) / sizeof(*names) };

/* The text and what of it is still to be parsed. */
struct condition_parser {
	struct condition *c;
	const char *start, *at, *end;
	struct mu_error *err;
};

static int fail_at(const struct condition_parser *p, const char *at, const char *why)
{
	return mu_error_set(p->err, MU_ERROR_FORMAT, (uint64_t)(at - p->start), "%s", why);
}

/* "'paek' WHY" */
static int fail_with_word(const struct condition_parser *p, const char *word, size_t length,
			  const char *why)
{
	const int shown = length < SHOWN ? (int)length : SHOWN;

	return mu_error_set(p->err, MU_ERROR_FORMAT, (uint64_t)(word - p->start), "'%.*s'%s %s",
			    shown, word, (int)length > shown ? "..." : "", why);
}

static void skip_blanks(struct condition_parser *p)
{
	p->at += strspn(p->at, BLANKS);
	if (p->at > p->end)
		p->at = p->end;
}

/* Returns the length of the word at P, which stays there: letters only. */
static size_t peek_word(const struct condition_parser *p, char word[WORD_LENGTH])
{
	const size_t length = strcspn(p->at, BLANKS "><=");

	*word = '\0';
	if (length < WORD_LENGTH) {
		memcpy(word, p->at, length);
		word[length] = '\0';
	}
	return length;
}

static int find_name(const char *word, const char *moment)
{
	for (int i = 0; i < NAMES; i++) {
		if (strcmp(names[i].word, word) != 0)
			continue;
		if (!moment ? !names[i].moment :
			      names[i].moment && strcmp(names[i].moment, moment) == 0)
			return i;
	}
	return -1;
}

static bool is_metric_word(const char *word)
{
	for (int i = 0; i < NAMES; i++) {
		if (strcmp(names[i].word, word) == 0)
			return true;
	}
	return false;
}

/* "is no moment of heap: say heap peak, heap end or heap total" */
static int fail_with_moment(const struct condition_parser *p, const char *word, size_t length)
{
	char why[160];
	size_t used = 0;
	const char *before = "";

	used += (size_t)snprintf(why, sizeof(why), "is no moment of %s: say ", word);
	for (int i = 0; i < NAMES; i++) {
		if (strcmp(names[i].word, word) != 0 || !names[i].moment)
			continue;
		used += (size_t)snprintf(why + used, sizeof(why) - used, "%s%s %s", before, word,
					 names[i].moment);
		before = ", ";
	}
	return fail_with_word(p, p->at, length, why);
}

static int parse_metric(struct condition_parser *p)
{
	char word[WORD_LENGTH], moment[WORD_LENGTH];
	size_t length = peek_word(p, word);
	int found;

	if (!is_metric_word(word)) {
		if (length == 0)
			return fail_at(p, p->at, "a metric is missing: heap peak, leaks ...");
		return fail_with_word(p, p->at, length,
				      "is no metric: heap peak, heap end, heap total, total, "
				      "blocks, calls, leaks, temporary, stack peak, rss peak, "
				      "mmap peak");
	}
	p->at += length;
	skip_blanks(p);
	length = peek_word(p, moment);
	found = find_name(word, moment);
	if (found >= 0 && length > 0)
		p->at += length;
	else
		found = find_name(word, NULL);
	if (found < 0)
		return fail_with_moment(p, word, length);
	p->c->metric = names[found].metric;
	skip_blanks(p);
	return 0;
}

/* ---- places ------------------------------------------------------------------------------- */

/* A regular expression that the program would reject at the end of the run. */
static int check_pattern(const struct condition_parser *p, const char *at)
{
	regex_t pattern;
	char why[100];
	const int error = regcomp(&pattern, p->c->name, REG_EXTENDED | REG_NOSUB);

	if (error == 0) {
		regfree(&pattern);
		return 0;
	}
	regerror(error, &pattern, why, sizeof(why));
	return mu_error_set(p->err, MU_ERROR_FORMAT, (uint64_t)(at - p->start),
			    "not a regular expression: %s", why);
}

/* Takes what is up to the closing QUOTE. */
static int parse_quoted(struct condition_parser *p, char quote)
{
	const char *first = p->at + 1, *last = memchr(first, quote, (size_t)(p->end - first));

	if (!last)
		return fail_with_word(p, p->at, 1, "is not closed");
	if (last == first)
		return fail_at(p, p->at, "the name is empty");
	memcpy(p->c->name, first, (size_t)(last - first));
	p->c->name[last - first] = '\0';
	p->at = last + 1;
	return 0;
}

/* A name in C++ has ">" in it: "operator>" or "vector<int>" are to be quoted. */
static int parse_name(struct condition_parser *p)
{
	const size_t length = strcspn(p->at, BLANKS "><=");

	if (*p->at == '\'' || *p->at == '"')
		return parse_quoted(p, *p->at);
	if (length == 0)
		return fail_at(p, p->at, "a name is missing");
	memcpy(p->c->name, p->at, length);
	p->c->name[length] = '\0';
	p->at += length;
	return 0;
}

static int parse_function(struct condition_parser *p)
{
	const char *at = p->at;

	if (*at == '/') {
		p->c->scope = CONDITION_PATTERN;
		return parse_quoted(p, '/') < 0 ? -1 : check_pattern(p, at + 1);
	}
	p->c->scope = CONDITION_FUNCTION;
	return parse_name(p);
}

static int parse_scope(struct condition_parser *p)
{
	char word[WORD_LENGTH];
	const char *at = p->at;
	size_t length = peek_word(p, word);
	const bool is_function = strcmp(word, "at") == 0;

	if (length == 0)
		return 0;
	if (!is_function && strcmp(word, "in") != 0)
		return fail_with_word(p, at, length, "is neither at, in nor >");
	if (!condition_has_places(p->c->metric))
		return mu_error_set(p->err, MU_ERROR_FORMAT, (uint64_t)(at - p->start),
				    "%s is a figure of the process: no place has a part of it",
				    condition_metric_name(p->c->metric));
	p->at += length;
	skip_blanks(p);
	if (!is_function)
		p->c->scope = CONDITION_MODULE;
	if ((is_function ? parse_function(p) : parse_name(p)) < 0)
		return -1;
	skip_blanks(p);
	length = peek_word(p, word);
	if (strcmp(word, "at") == 0 || strcmp(word, "in") == 0)
		return fail_with_word(p, p->at, length,
				      "is one too many: a condition has one place");
	return 0;
}

/* ---- limits ------------------------------------------------------------------------------- */

/* Bytes are counted in powers of 1024, as everywhere; other things in powers of 1000. */
static double scale_of(const struct condition *c, char unit)
{
	const double base = condition_counts_bytes(c->metric) ? 1024 : 1000;

	switch (unit) {
	case 'k': case 'K':
		return base;
	case 'm': case 'M':
		return base * base;
	case 'g': case 'G':
		return base * base * base;
	default:
		return 0;
	}
}

/* "K", "KiB", "kB", "B"; a count has a letter alone. */
static int parse_unit(struct condition_parser *p)
{
	const bool is_bytes = condition_counts_bytes(p->c->metric);
	const char *at = p->at;
	const double scale = scale_of(p->c, *at);

	if (*at == '%' && p->c->is_relative) {
		p->c->is_percent = true;
		p->at++;
		return 0;
	}
	if (*at == '%')
		return fail_at(p, at, "percent of what? +5% is growth since the --baseline");
	if (scale > 0) {
		p->c->limit *= scale;
		p->at++;
		if (is_bytes && *p->at == 'i' && p->at[1] == 'B')
			p->at++;
	}
	if (is_bytes && *p->at == 'B')
		p->at++;
	if (p->at < p->end)
		return fail_with_word(p, p->at, (size_t)(p->end - p->at),
				      is_bytes ? "is no unit: K, M, G or %" :
						 "is no unit: k, M, G or %");
	return 0;
}

static int parse_limit(struct condition_parser *p)
{
	struct condition *c = p->c;
	const char *at;
	char *rest;

	c->is_relative = *p->at == '+';
	p->at += c->is_relative;
	at = p->at;
	if (at == p->end || !strchr(DIGITS, *at))
		return at < p->end ? fail_with_word(p, at, (size_t)(p->end - at),
					    "is no limit: a number like 64M, 10k, +5% or +1M") :
			     fail_at(p, at, "a limit is missing: 64M, 10k, +5% or +1M");
	c->limit = strtod(at, &rest);
	/* Hexadecimal numbers and exponents are not meant. */
	if (strspn(at, DIGITS ".") != (size_t)(rest - at))
		return fail_with_word(p, at, (size_t)(p->end - at), "is no limit");
	p->at = rest;
	skip_blanks(p);
	if (p->at < p->end && parse_unit(p) < 0)
		return -1;
	if (p->at < p->end)
		return fail_with_word(p, p->at, (size_t)(p->end - p->at), "is one too many");
	if (!isfinite(c->limit) || c->limit >= 0x1p62)
		return fail_at(p, at, "the limit is too large");
	return 0;
}

static int parse_comparison(struct condition_parser *p)
{
	if (*p->at == '<')
		return fail_at(p, p->at, "a budget is broken by too much: say >");
	if (*p->at != '>')
		return fail_at(p, p->at, "> is missing, and a limit");
	p->at++;
	if (*p->at == '=') {
		p->c->or_equal = true;
		p->at++;
	}
	skip_blanks(p);
	return parse_limit(p);
}

int condition_parse(struct condition *c, const char *text, struct mu_error *err)
{
	struct condition_parser p = { .c = c, .start = text, .err = err };
	size_t length;

	*c = (struct condition){ .scope = CONDITION_ALL };
	p.at = text + strspn(text, BLANKS);
	length = strlen(p.at);
	if (length >= CONDITION_LENGTH)
		return fail_at(&p, p.at + CONDITION_LENGTH, "the condition is too long");
	while (length > 0 && strchr(BLANKS, p.at[length - 1]))
		length--;
	memcpy(c->text, p.at, length);
	p.end = p.at + length;
	if (parse_metric(&p) < 0 || parse_scope(&p) < 0)
		return -1;
	return parse_comparison(&p);
}

/* ---- metrics ------------------------------------------------------------------------------ */

const char *condition_metric_name(enum condition_metric metric)
{
	static const char *const texts[CONDITION_METRICS] = {
		[CONDITION_HEAP_PEAK] = "heap peak",	 [CONDITION_HEAP_END] = "heap end",
		[CONDITION_HEAP_TOTAL] = "heap total",	 [CONDITION_BLOCKS_PEAK] = "blocks",
		[CONDITION_BLOCKS_END] = "blocks end",	 [CONDITION_CALLS] = "calls",
		[CONDITION_LEAKS] = "leaks",		 [CONDITION_TEMPORARY] = "temporary",
		[CONDITION_STACK_PEAK] = "stack peak",	 [CONDITION_RSS_PEAK] = "rss peak",
		[CONDITION_MMAP_PEAK] = "mmap peak",
	};

	return texts[metric];
}

bool condition_counts_bytes(enum condition_metric metric)
{
	return metric != CONDITION_BLOCKS_PEAK && metric != CONDITION_BLOCKS_END &&
	       metric != CONDITION_CALLS && metric != CONDITION_TEMPORARY;
}

bool condition_has_places(enum condition_metric metric)
{
	return metric < CONDITION_STACK_PEAK;
}

bool condition_is_cumulative(enum condition_metric metric)
{
	return metric == CONDITION_HEAP_TOTAL || metric == CONDITION_CALLS ||
	       metric == CONDITION_TEMPORARY;
}
