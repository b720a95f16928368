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

/* What became of the blocks from before an attach, if they are known. */
static void blocks_from_before(void)
{
	struct result *r = calloc(1, sizeof(*r));

	r->notes = MU_NOTE_ATTACHED;
	take(r);
	EQ_S(text, "memusage attached to the process while it ran: blocks from before are not "
		   "known\n");
	r->recorded.before = MU_BEFORE_KNOWN;
	take(r);
	EQ_S(text, "memusage attached to the process while it ran: it had no blocks before\n");
	r->recorded.before_blocks = 12345;
	r->recorded.before_bytes = 3 << 20;
	r->recorded.before_gone = 1 << 20;
	take(r);
	EQ_S(text, "memusage attached to the process while it ran: it had 12,345 blocks of "
		   "3.00 MiB before, of which 0 of 1.00 MiB are gone\n");
	r->recorded.before = MU_BEFORE_AT_MOST;
	take(r);
	EQ_S(text, "memusage attached to the process while it ran: it had blocks of 3.00 MiB at "
		   "most before, of which 0 of 1.00 MiB are gone\n");
	r->recorded.before = MU_BEFORE_APART;
	take(r);
	HAS_S(text, "it had 12,345 blocks of 3.00 MiB before, which are in no other figure");
	free(r);
}

/* Times are relative to the start; more parts than are kept are counted all the same. */
static void recorded_parts(void)
{
	const uint64_t s = 1000000000, start = 100 * s;
	struct result *r = calloc(1, sizeof(*r));

	r->process.start_mono_ns = start;
	r->process.pid = 77;
	r->recorded.began_asleep = true;
	r->pauses = 1;
	take(r);
	EQ_S(text, "nothing was recorded: the program began asleep (--start-paused), and memusage "
		   "--pid=77 start was not given while it ran\n");
	r->recorded.parts = 2;
	r->recorded.ns = 4 * s;
	r->recorded.part[0] = (struct mark_part){ start + s, start + 3 * s };
	r->recorded.part[1] = (struct mark_part){ start + 8 * s, 0 };
	take(r);
	EQ_S(text, "recorded: 2 parts of the run: 1.00 s to 3.00 s, 8.00 s to the end after the "
		   "start\n");
	r->process.exit_mono_ns = start + 10 * s;
	r->recorded.parts = RESULT_PARTS + 1;
	for (int i = 0; i < RESULT_PARTS; i++)
		r->recorded.part[i] = (struct mark_part){ start + s, start + 2 * s };
	r->recorded.earlier_frees = 1234;
	r->recorded.earlier_reallocs = 5;
	r->counters.paused_calls = 6;
	r->counters.paused_bytes = 1024;
	take(r);
	EQ_S(text, "1,234 frees of blocks from before recording began, or from a pause\n"
		   "5 reallocs of blocks from before recording began, or from a pause: what they "
		   "returned counts as new\n"
		   "recorded: 4.00 s of 10.0 s, in 5 parts: 1.00 s to 2.00 s, 1.00 s to 2.00 s, "
		   "1.00 s to 2.00 s, 1.00 s to 2.00 s ... after the start\n"
		   "between these parts 6 allocations of 1.00 KiB are left out\n");
	free(r);
}

int main(void)
{
	nothing();
	recorded_parts();
	blocks_from_before();
	every_drop();
	functions();
	return done_testing();
}
