/* export_notes.c -- whatever a recording could not hold is said, each in a line of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/notes.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

static char text[65536];
static unsigned int lines;

static void put(void *data, const char *line)
{
	OK(data == text, "the data are handed on");
	strcat(strcat(text, line), "\n");
	lines++;
}

static void take(const struct result *r)
{
	const struct notes to = { .put = put, .data = text };

	text[0] = '\0';
	lines = 0;
	notes_put(&to, r);
}

/* A field that has no sentence would be dropped in silence. */
static void every_drop(void)
{
	struct result *r = calloc(1, sizeof(*r));
	unsigned char *bytes = (unsigned char *)&r->drops;
	const size_t silent = offsetof(struct mu_drops, block_bytes);
	const size_t summed = offsetof(struct mu_drops, log_records);

	for (size_t i = 0; i < sizeof(r->drops); i += 4) {
		uint32_t one = 1;

		memset(&r->drops, 0, sizeof(r->drops));
		memcpy(bytes + i, &one, sizeof(one));
		take(r);
		if (i / 8 != silent / 8 && i / 8 != summed / 8)
			OK(lines == 1, "drop at %zu: %s", i, text);
	}
	memset(&r->drops, 0, sizeof(r->drops));
	r->log_lost = 7;
	r->counters.nested = 3;
	take(r);
	EQ_S(text, "not recorded: 7 events in the data file: the limit was reached (--log-limit)\n"
		   "not recorded: 3 calls from signal handlers that interrupted a call\n");
	free(r);
}

static void nothing(void)
{
	struct result *r = calloc(1, sizeof(*r));

	r->threads_max = 1;
	take(r);
	EQ_S(text, "");
	r->threads_max = 2;
	r->peak_bound = 8192;
	r->drops.blocks = 2;
	r->drops.block_bytes = 300;
	take(r);
	EQ_S(text, "2 threads: heap peak is exact to within 8192 bytes\n"
		   "not recorded: 2 blocks of 300 bytes; heap and heap peak are too low by up to "
		   "that\n");
	free(r);
}

static void functions(void)
{
	struct result *r = calloc(1, sizeof(*r));
	static const struct result_symbol symbol[] = {
		{ .name = "a", .object = "prog", .calls = 1000 },
		{ .name = "b", .object = "prog" },
		{ .name = "c", .object = "prog", .why = "it is too short" },
	};

	memcpy(r->symbol, symbol, sizeof(symbol));
	r->symbol_count = 3;
	r->symbols_more = 2;
	take(r);
	EQ_S(text, "a in prog: patched, 1,000 calls\n"
		   "b in prog: patched, but never called: it may be inlined\n"
		   "calls of c in prog are not seen: it is too short\n"
		   "2 more functions were to be seen\n");
	free(r);
}

int main(void)
{
	nothing();
	every_drop();
	functions();
	return done_testing();
}
