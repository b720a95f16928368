/* notes.c -- what the reader of a summary must be told about its figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/notes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/units.h"
#include "formats/base/bounds.h"

enum { LINE = 4096 };

static void __attribute__((format(printf, 3, 0)))
write_line(void (*put)(void *data, const char *line), void *data, const char *format, va_list args)
{
	char line[LINE];

	vsnprintf(line, sizeof(line), format, args);
	put(data, line);
}

static void __attribute__((format(printf, 2, 3)))
write_note(const struct notes *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(to->put, to->data, format, args);
	va_end(args);
}

/* Writes a line from which no figure of the report becomes less certain. */
static void __attribute__((format(printf, 2, 3)))
write_figure(const struct notes *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(to->put_figure ? to->put_figure : to->put, to->data, format, args);
	va_end(args);
}

void notes_drops(const struct result *r, notes_drop_fn *put, void *data)
{
	const struct mu_drops *d = &r->drops;
	const struct {
		uint64_t count;
		const char *what;
	} drop[] = {
		{ d->block_locks, "events that found their part of the block table locked" },
		{ d->threads, "threads" },
		{ d->thread_events, "events of threads without a record" },
		{ r->log_lost, "events in the data file: the limit was reached (--log-limit)" },
		{ d->mappings, "mappings" },
		{ d->frames, "stack frames" },
		{ d->sites, "places of allocation" },
		{ d->snapshots, "snapshots" },
		{ d->triggers, "snapshots that a signal or a threshold asked for: they came too "
			       "fast" },
		{ d->marks, "marks" },
		{ r->labels_dropped, "labels: there was no room for so many, or such long ones; "
				     "their value is \"(more)\"" },
		{ d->modules, "objects" },
		{ d->forks, "forked processes: no room for their recording, or a fork in the "
			    "middle of an event" },
		{ d->histograms_unknown, "requests to count accesses to memory of no block" },
		{ d->histograms_small,
		  "requests to count accesses to blocks that are counted anyway" },
		{ d->histograms_large,
		  "requests to count accesses to blocks of more than 25,600 bytes" },
		{ d->accesses, "blocks, places or moments whose reads and writes are missing" },
		{ d->counters, "threads whose instructions the CPU did not count, or not all the "
			       "time: time stood still meanwhile" },
		{ d->hist_high, "requests of 16 to 64 KiB in the histogram" },
		{ d->lifetimes, "threads whose blocks the lifetimes of the page leave out" },
		{ d->timers, "threads whose stack could not be sampled by a timer" },
		{ r->counters.nested, "calls from signal handlers that interrupted a call" },
	};

	for (size_t i = 0; i < sizeof(drop) / sizeof(*drop); i++) {
		if (drop[i].count > 0)
			put(data, drop[i].count, drop[i].what);
	}
}

/* Frees and reallocs of blocks that are not known are of these. */
static void write_before_note(const struct notes *to, const struct result_recorded *r)
{
	char blocks[UNITS_LENGTH], bytes[UNITS_LENGTH], gone[UNITS_LENGTH], freed[UNITS_LENGTH];

	units_grouped(blocks, r->before_blocks);
	units_bytes(bytes, r->before_bytes);
	units_grouped(gone, r->earlier_frees + r->earlier_reallocs);
	units_bytes(freed, r->before_gone);
	if ((r->before == MU_BEFORE_KNOWN || r->before == MU_BEFORE_APART) && !r->before_blocks)
		write_note(to, "memusage attached to the process while it ran: it had no blocks "
			       "before");
	else if (r->before == MU_BEFORE_KNOWN)
		write_note(to, "memusage attached to the process while it ran: it had %s blocks of "
			       "%s before, of which %s of %s are gone", blocks, bytes, gone, freed);
	else if (r->before == MU_BEFORE_AT_MOST)
		write_note(to, "memusage attached to the process while it ran: it had blocks of %s "
			       "at most before, of which %s of %s are gone", bytes, gone, freed);
	else if (r->before == MU_BEFORE_APART)
		write_note(to, "memusage attached to the process while it ran: it had %s blocks of "
			       "%s before, which are in no other figure, since samples do not tell "
			       "which of them are gone", blocks, bytes);
	else
		write_note(to, "memusage attached to the process while it ran: blocks from "
			       "before are not known");
}

static void write_fact_notes(const struct notes *to, const struct result *result)
{
	uint32_t notes = result->notes;

	if (notes & MU_NOTE_FOREIGN_MALLOC)
		write_note(to,
			   "the program calls the malloc of %s directly: those calls are not "
			   "seen",
			   result->foreign[0] ? result->foreign : "another object");
	if (notes & MU_NOTE_OWN_MALLOC)
		write_note(to,
			   "%s brings its own malloc: %" PRIu32 " functions of it were changed "
			   "in memory to be seen (--own-malloc=ignore leaves them alone)",
			   result->foreign[0] ? result->foreign : "an object",
			   result->own_functions);
	if (notes & MU_NOTE_DEEPBIND)
		write_note(to, "%s was opened with RTLD_DEEPBIND: its calls are not seen",
			   result->foreign[0] ? result->foreign : "an object");
	if (notes & MU_NOTE_SYMBOLIC)
		write_note(to, "%s binds its own malloc (-Bsymbolic): its calls are not seen",
			   result->foreign[0] ? result->foreign : "an object");
	if (notes & MU_NOTE_NAMESPACE)
		write_note(to, "an object was opened in a namespace of its own (dlmopen): its "
			       "calls are not seen");
	if (notes & MU_NOTE_SIGPROF_TAKEN)
		write_note(to, "the program uses SIGPROF itself: the stack was seen at events "
			       "only");
	if (notes & MU_NOTE_SIGNAL_IGNORED)
		write_note(to, "the program ignores the signal of --snapshot-signal: while it "
			       "does, no snapshot is written");
	if (notes & MU_NOTE_ATTACHED && notes & MU_NOTE_RAW_CLONE)
		write_note(to, "the process was forked by one that memusage had attached to: "
			       "blocks from before are not known");
	else if (notes & MU_NOTE_ATTACHED)
		write_before_note(to, &result->recorded);
	else if (notes & MU_NOTE_RAW_CLONE)
		write_note(to, "the process began by a raw clone(): blocks from before it are not "
			       "known");
	if (notes & MU_NOTE_SMALL_ARENA)
		write_note(to, "a limit leaves little room for recording (ulimit -v, or mlockall "
			       "with ulimit -l)");
	if (notes & MU_NOTE_ARENA_FULL)
		write_note(to, "the memory for recording was full: see what was dropped");
}

static void write_drop_note(void *data, uint64_t count, const char *what)
{
	write_note(data, "not recorded: %" PRIu64 " %s", count, what);
}

static void write_drop_notes(const struct notes *to, const struct result *result)
{
	const struct mu_drops *d = &result->drops;
	struct notes copy = *to;

	if (d->blocks > 0)
		write_note(to,
			   "not recorded: %" PRIu64 " blocks of %" PRIu64
			   " bytes; heap and heap peak are too low by up to that",
			   d->blocks, d->block_bytes);
	notes_drops(result, write_drop_note, &copy);
	if (d->twice > 0)
		write_note(to,
			   "up to %" PRIu32
			   " blocks that --alloc-symbol=auto counted lie in blocks "
			   "of malloc, and count twice",
			   d->twice);
}

static void write_unwound_kind(const struct notes *to, const struct unwound *u,
			       const struct unwound_count *kind, const char *what)
{
	char stacks[UNITS_LENGTH], all[UNITS_LENGTH], blocks[UNITS_LENGTH];

	if (kind->stacks > 0)
		write_note(to, "call stacks that %s: %s of %s, those of %s allocations", what,
			   units_grouped(stacks, kind->stacks), units_grouped(all, u->all.stacks),
			   units_grouped(blocks, kind->blocks));
}

/* Reports show them as they are, beginning where they end. */
static void write_unwound_notes(const struct notes *to, const struct unwound *u)
{
	write_unwound_kind(to, u, &u->truncated,
			   "end too early (no unwind information, or no room on a signal stack)");
	write_unwound_kind(to, u, &u->cut, "are deeper than the 1,024 frames that are kept");
}

/* "5.00 s to 9.12 s, 20.0 s to the end" */
static void write_parts(char *text, size_t size, const struct result *result)
{
	const struct result_recorded *r = &result->recorded;
	const uint64_t start = result->process.start_mono_ns;
	char from[UNITS_LENGTH], to[UNITS_LENGTH];
	size_t at = 0;

	for (uint64_t i = 0; i < r->parts && i < RESULT_PARTS && at < size; i++) {
		const struct mark_part *p = &r->part[i];

		units_time(from, p->from > start ? p->from - start : 0);
		if (p->to != 0)
			units_time(to, p->to > start ? p->to - start : 0);
		at += (size_t)snprintf(text + at, size - at, "%s%s to %s", i ? ", " : "", from,
				       p->to != 0 ? to : "the end");
	}
	if (r->parts > RESULT_PARTS && at < size)
		snprintf(text + at, size - at, " ...");
}

static void write_recorded_note(const struct notes *to, const struct result *result)
{
	const struct result_recorded *r = &result->recorded;
	const struct mu_process *p = &result->process;
	char parts[RESULT_PARTS * (2 * UNITS_LENGTH + 16)] = "", time[UNITS_LENGTH];
	char all[UNITS_LENGTH], left[UNITS_LENGTH], bytes[UNITS_LENGTH];

	if (r->parts == 0) {
		write_note(to, "nothing was recorded: the program began asleep (--start-paused), "
			       "and memusage --pid=%" PRIu32 " start was not given while it ran",
			   p->pid);
		return;
	}
	write_parts(parts, sizeof(parts), result);
	if (p->exit_mono_ns > p->start_mono_ns)
		write_note(to, "recorded: %s of %s, in %" PRIu64 " part%s: %s after the start",
			   units_time(time, r->ns),
			   units_time(all, p->exit_mono_ns - p->start_mono_ns), r->parts,
			   r->parts == 1 ? "" : "s", parts);
	else
		write_note(to, "recorded: %" PRIu64 " part%s of the run: %s after the start",
			   r->parts, r->parts == 1 ? "" : "s", parts);
	if (result->counters.paused_calls > 0)
		write_note(to, "between these parts %s allocations of %s are left out",
			   units_grouped(left, result->counters.paused_calls),
			   units_bytes(bytes, result->counters.paused_bytes));
}

static void write_earlier_note(const struct notes *to, const struct result_recorded *r)
{
	char text[UNITS_LENGTH];

	if (r->earlier_frees > 0)
		write_note(to, "%s frees of blocks from before recording began, or from a pause",
			   units_grouped(text, r->earlier_frees));
	if (r->earlier_reallocs > 0)
		write_note(to, "%s reallocs of blocks from before recording began, or from a "
			       "pause: what they returned counts as new",
			   units_grouped(text, r->earlier_reallocs));
}

static void write_pause_notes(const struct notes *to, const struct result *result)
{
	const struct counters *c = &result->counters;
	char time[UNITS_LENGTH], bytes[UNITS_LENGTH];

	write_earlier_note(to, &result->recorded);
	if (result->recorded.began_asleep) {
		write_recorded_note(to, result);
		return;
	}
	if (result->pauses == 0)
		return;
	write_note(to, "recording was paused for %s%s: %" PRIu64 " allocations of %s are left out",
		   units_time(time, result->paused_ns), result->is_paused ? ", to the end" : "",
		   c->paused_calls, units_bytes(bytes, c->paused_bytes));
}

/* Less than a page that ld.so had borrowed when a process ended is not worth a note. */
static void write_page_notes(const struct notes *to, const struct result *result)
{
	const struct mu_drops *d = &result->drops;

	if (result->notes & MU_NOTE_PAGES_ALONE)
		write_note(to, "code cannot be changed here: mappings that the C library makes for "
			       "itself (malloc, stacks of threads, dlopen) are not seen");
	if (d->pages_unseen > 0)
		write_note(to,
			   "%" PRIu64 " bytes of pages were mapped by system calls that were "
			   "not seen",
			   d->pages_unseen);
	if (d->pages_gone > 0)
		write_note(to,
			   "%" PRIu64 " bytes of pages were unmapped by system calls that were "
			   "not seen",
			   d->pages_gone);
}

static void write_request_notes(const struct notes *to, const struct result *result)
{
	const struct counters *c = &result->counters;

	if (result->notes & MU_NOTE_NO_REQUESTS)
		write_note(to, "code cannot be changed here: requests of Valgrind's macros are not "
			       "served");
	if (result->notes & MU_NOTE_LATE_REQUESTS)
		write_note(to, "requests of Valgrind's macros are not served in objects that were "
			       "loaded after the start");
	if (result->request_refused > 0)
		write_note(to,
			   "requests of Valgrind's macros are not served at %" PRIu32 " of %" PRIu32
			   " places: no room for a jump near them",
			   result->request_refused,
			   result->request_places + result->request_refused);
	if (c->requests == 0 && c->request_nested > 0)
		write_note(to,
			   "%" PRIu64 " blocks lie inside others, which are counted already: "
			   "they are in no total",
			   c->request_nested);
	if (c->requests == 0)
		return;
	write_figure(to,
		     "%" PRIu64 " client requests: %" PRIu64 " blocks announced inside others, "
		     "which are in no total; %" PRIu64 " errors",
		     c->requests, c->request_nested, c->request_errors);
}

static void write_symbol_note(const struct notes *to, const struct result_symbol *s)
{
	char calls[UNITS_LENGTH];

	if (s->why[0])
		write_note(to, "calls of %s in %s are not seen: %s", s->name, s->object, s->why);
	else if (s->calls > 0)
		write_figure(to, "%s in %s: patched, %s calls", s->name, s->object,
			     units_grouped(calls, s->calls));
	else
		write_note(to, "%s in %s: patched, but never called: it may be inlined", s->name,
			   s->object);
}

static void write_access_notes(const struct notes *to, const struct result *result)
{
	char a[UNITS_LENGTH], b[UNITS_LENGTH];

	if (result->notes & MU_NOTE_COPIES)
		write_figure(to, "copies: %s bytes in %s calls",
			     units_grouped(a, result->copied_bytes),
			     units_grouped(b, result->copies));
	if (!result->has_accesses)
		return;
	if (result->notes & MU_NOTE_NO_HOOKS)
		write_note(to, "reads and writes were not counted: the program was not built for "
			       "it (--print-cflags, --print-libs)");
	else
		write_figure(to, "reads: %s bytes, writes: %s bytes, in blocks (counted by %s)",
			     units_grouped(a, result->read_bytes),
			     units_grouped(b, result->written_bytes),
			     result->notes & MU_NOTE_EMULATED ? "emulation" : "hooks");
}

static void write_estimate_notes(const struct notes *to, const struct result *r)
{
	const double distance = r->sample_distance;
	char peak[BOUNDS_LENGTH], end[BOUNDS_LENGTH], samples[UNITS_LENGTH], every[UNITS_LENGTH];

	if (distance <= 0)
		return;
	write_note(to, "estimates: heap peak %s, heap %s %s, with a probability of 95 %%",
		   bounds_bytes_text(peak, &r->errors.peak, (int64_t)r->heap_peak, distance),
		   bounds_now(r->end),
		   bounds_bytes_text(end, &r->errors.live, (int64_t)r->heap_now, distance));
	write_note(to, "%s blocks were sampled, about one in %s; all figures of places are "
		       "estimates", units_grouped(samples, r->samples),
		   units_bytes(every, (uint64_t)distance));
	if (r->sample_losses > 0)
		write_note(to, "not recorded: up to %" PRIu64 " sampled blocks, whose lock was not "
			       "free: estimates are off by what they stand for", r->sample_losses);
}

void notes_guessed(const struct notes *to, const struct result *result)
{
	write_unwound_kind(to, &result->unwound, &result->unwound.guessed,
			   "were found by frame pointers in code without unwind tables");
}

void notes_put(const struct notes *to, const struct result *result)
{
	write_access_notes(to, result);
	if (result->threads_max > 1 && result->peak_bound > 0)
		write_figure(to,
			     "%" PRIu32 " threads: heap peak is exact to within %" PRIu64 " bytes",
			     result->threads_max, result->peak_bound);
	write_estimate_notes(to, result);
	write_fact_notes(to, result);
	for (uint32_t i = 0; i < result->symbol_count; i++)
		write_symbol_note(to, &result->symbol[i]);
	if (result->symbols_more > 0)
		write_note(to, "%" PRIu32 " more functions were to be seen", result->symbols_more);
	write_unwound_notes(to, &result->unwound);
	write_pause_notes(to, result);
	write_page_notes(to, result);
	write_request_notes(to, result);
	write_drop_notes(to, result);
}
