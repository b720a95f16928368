/* request.h -- What a client asks for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum request_kind {
	REQUEST_NONE,		/* there is nothing of that name */
	REQUEST_LIST,		/* of what there is: /debug/pprof/ */
	REQUEST_PROFILE,	/* /debug/pprof/heap and /debug/pprof/allocs */
	REQUEST_METRICS,	/* /metrics */
	REQUEST_PAGE		/* / */
};

enum { REQUEST_SECONDS_MAX = 3600 };

struct request {
	enum request_kind kind;
	bool is_allocs;		/* of a profile: all that was ever allocated comes first */
	bool is_text;		/* ... debug=1: text */
	unsigned int seconds;	/* ... seconds=N: what changes in so many seconds; 0: all */
	pid_t pid;		/* pid=N: of this process alone; 0: of all */
	unsigned int refresh;	/* of a page: refresh=N; 0: it stays */
	bool is_openmetrics;	/* of metrics: the client reads that form */
};

/* request_unescape -- Decodes the escapes of a part of a URL: %2F is a slash.
 *
 * text  is changed, and becomes no longer.
 * One that stands for a zero byte stays as it is, as what is no escape: it would end the text, so
 * that /metrics%00x would be /metrics.
 * Returns the length of the result.
 */
size_t request_unescape(char *text);

/* request_begin -- Chooses what the path of a URL names. */
void request_begin(struct request *r, const char *path);

/* request_argument -- Takes one argument of the URL.
 *
 * value  NULL: the name stands alone.
 * Arguments that are not known are ignored.
 * Returns NULL, or what is wrong with it: "seconds must be ...".
 */
const char *request_argument(struct request *r, const char *name, const char *value);

/* request_is_same -- Tells whether one answer serves both. */
bool request_is_same(const struct request *a, const struct request *b);
