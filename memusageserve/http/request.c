/* request.c -- What a client asks for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/http/request.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Names are compared as a whole, and no part of one becomes the name of a file. */
static const struct {
	const char *path;
	enum request_kind kind;
	bool is_allocs;
} paths[] = {
	{ "/", REQUEST_PAGE, false },
	{ "/metrics", REQUEST_METRICS, false },
	{ "/debug/pprof", REQUEST_LIST, false },
	{ "/debug/pprof/", REQUEST_LIST, false },
	{ "/debug/pprof/heap", REQUEST_PROFILE, false },
	{ "/debug/pprof/allocs", REQUEST_PROFILE, true },
};

/* Returns the byte for which the escape at TEXT stands; 0 if it is none. */
static char decode_escape(const char *text)
{
	char digits[3] = "";

	if (text[0] != '%' || !isxdigit((unsigned char)text[1]) ||
	    !isxdigit((unsigned char)text[2]))
		return '\0';
	memcpy(digits, text + 1, 2);
	return (char)strtoul(digits, NULL, 16);
}

size_t request_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		const char byte = decode_escape(from);

		*to = byte ? byte : *from;
		from += byte ? 3 : 1;
	}
	*to = '\0';
	return (size_t)(to - text);
}

void request_begin(struct request *r, const char *path)
{
	*r = (struct request){ .kind = REQUEST_NONE };
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		if (strcmp(paths[i].path, path) == 0) {
			r->kind = paths[i].kind;
			r->is_allocs = paths[i].is_allocs;
		}
	}
}

/* Returns false unless TEXT is a number of digits alone, MAX at most. */
static bool parse_number(const char *text, unsigned long max, unsigned long *number)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	*number = strtoul(text, &end, 10);
	return *end == '\0' && *number <= max;
}

const char *request_argument(struct request *r, const char *name, const char *value)
{
	unsigned long number;

	if (strcmp(name, "seconds") == 0) {
		if (!parse_number(value, REQUEST_SECONDS_MAX, &number))
			return "seconds must be a whole number up to 3600";
		r->seconds = (unsigned int)number;
	} else if (strcmp(name, "debug") == 0) {
		if (!parse_number(value, INT_MAX, &number))
			return "debug must be a whole number: 0 for profile.proto, 1 for text";
		r->is_text = number > 0;
	} else if (strcmp(name, "pid") == 0) {
		if (!parse_number(value, INT_MAX, &number) || number == 0)
			return "pid must be the number of a process";
		r->pid = (pid_t)number;
	} else if (strcmp(name, "refresh") == 0) {
		if (!parse_number(value, REQUEST_SECONDS_MAX, &number))
			return "refresh must be a whole number of seconds up to 3600";
		r->refresh = (unsigned int)number;
	}
	return NULL;
}

bool request_is_same(const struct request *a, const struct request *b)
{
	return a->kind == b->kind && a->is_allocs == b->is_allocs && a->is_text == b->is_text &&
	       a->seconds == b->seconds && a->pid == b->pid &&
	       a->is_openmetrics == b->is_openmetrics;
}
