/* notes.c -- what must be said about the figures of a summary, and what --verbose adds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/notes.h"

#include <inttypes.h>
#include <string.h>

#include "cli/units.h"
#include "formats/memory.h"
#include "recording/family.h"

static void note_facts(struct report *r, const struct result *result)
{
	uint32_t notes = result->notes;

	if (notes & MU_NOTE_FOREIGN_MALLOC)
		report_note(r, "the program calls the malloc of %s directly: those calls are not "
			       "seen", result->foreign[0] ? result->foreign : "another object");
	if (notes & MU_NOTE_OWN_MALLOC)
		report_note(r, "%s brings its own malloc: %" PRIu32 " functions of it were changed "
			       "in memory to be seen (--own-malloc=ignore leaves them alone)",
			    result->foreign[0] ? result->foreign : "an object",
			    result->own_functions);
	if (notes & MU_NOTE_DEEPBIND)
		report_note(r, "%s was opened with RTLD_DEEPBIND: its calls are not seen",
			    result->foreign[0] ? result->foreign : "an object");
	if (notes & MU_NOTE_SYMBOLIC)
		report_note(r, "%s binds its own malloc (-Bsymbolic): its calls are not seen",
			    result->foreign[0] ? result->foreign : "an object");
	if (notes & MU_NOTE_NAMESPACE)
		report_note(r, "an object was opened in a namespace of its own (dlmopen): its "
			       "calls are not seen");
	if (notes & MU_NOTE_SIGPROF_TAKEN)
		report_note(r, "the program uses SIGPROF itself: the stack was seen at events "
			       "only");
	if (notes & MU_NOTE_SIGNAL_IGNORED)
		report_note(r, "the program ignores the signal of --snapshot-signal: while it "
			       "does, no snapshot is written");
	if (notes & MU_NOTE_RAW_CLONE)
		report_note(r, "the process began by a raw clone(): blocks from before it are not "
			       "known");
	if (notes & MU_NOTE_SMALL_ARENA)
		report_note(r, "a limit leaves little room for recording (ulimit -v, or mlockall "
			       "with ulimit -l)");
	if (notes & MU_NOTE_ARENA_FULL)
		report_note(r, "the memory for recording was full: see what was dropped");
}

static void note_drop(struct report *r, uint64_t count, const char *what)
{
	if (count > 0)
		report_note(r, "not recorded: %" PRIu64 " %s", count, what);
}

static void note_drops(struct report *r, const struct result *result)
{
	const struct mu_drops *d = &result->drops;

	if (d->blocks > 0)
		report_note(r, "not recorded: %" PRIu64 " blocks of %" PRIu64
			       " bytes; heap and heap peak are too low by up to that",
			    d->blocks, d->block_bytes);
	note_drop(r, d->block_locks, "events that found their part of the block table locked");
	note_drop(r, d->threads, "threads");
	note_drop(r, d->thread_events, "events of threads without a record");
	note_drop(r, result->log_lost,
		  "events in the data file: the limit was reached (--log-limit)");
	note_drop(r, d->mappings, "mappings");
	note_drop(r, d->frames, "stack frames");
	note_drop(r, d->sites, "places of allocation");
	note_drop(r, d->snapshots, "snapshots");
	note_drop(r, d->triggers, "snapshots that a signal or a threshold asked for: they came too "
				  "fast");
	note_drop(r, d->marks, "marks");
	note_drop(r, d->modules, "objects");
	note_drop(r, d->forks, "forked processes that found no room for their recording");
	note_drop(r, d->histograms_unknown, "requests to count accesses to memory of no block");
	note_drop(r, d->histograms_small,
		  "requests to count accesses to blocks that are counted anyway");
	note_drop(r, d->histograms_large,
		  "requests to count accesses to blocks of more than 25,600 bytes");
	note_drop(r, d->accesses, "blocks, places or moments whose reads and writes are missing");
	note_drop(r, d->counters, "threads whose instructions the CPU did not count, or not all "
				  "the time: time stood still meanwhile");
	note_drop(r, d->timers, "threads whose stack could not be sampled by a timer");
	note_drop(r, result->counters.nested, "calls from signal handlers that interrupted a call");
}

static void note_unwound_kind(struct report *r, const struct unwound *u,
			      const struct unwound_count *kind, const char *what)
{
	char stacks[UNITS_LENGTH], all[UNITS_LENGTH], blocks[UNITS_LENGTH];

	if (kind->stacks > 0)
		report_note(r, "call stacks that %s: %s of %s, those of %s allocations",
			    what, units_grouped(stacks, kind->stacks),
			    units_grouped(all, u->all.stacks), units_grouped(blocks, kind->blocks));
}

/* Reports show them as they are, beginning where they end. */
static void note_unwound(struct report *r, const struct unwound *u)
{
	note_unwound_kind(r, u, &u->truncated, "end too early (no unwind information)");
	note_unwound_kind(r, u, &u->cut, "are deeper than the 1,024 frames that are kept");
}

static void note_pauses(struct report *r, const struct result *result)
{
	const struct counters *c = &result->counters;
	char time[UNITS_LENGTH], bytes[UNITS_LENGTH];

	if (result->pauses == 0)
		return;
	report_note(r, "recording was paused for %s%s: %" PRIu64 " allocations of %s are left out",
		    units_time(time, result->paused_ns),
		    result->is_paused ? ", to the end" : "", c->paused_calls,
		    units_bytes(bytes, c->paused_bytes));
}

/* Nothing is said of less than a page that ld.so had borrowed when a process ended. */
static void note_pages(struct report *r, const struct result *result)
{
	const struct mu_drops *d = &result->drops;

	if (result->notes & MU_NOTE_PAGES_ALONE)
		report_note(r, "code cannot be changed here: mappings that the C library makes for "
			       "itself (malloc, stacks of threads, dlopen) are not seen");
	if (d->pages_unseen > 0)
		report_note(r, "%" PRIu64 " bytes of pages were mapped by system calls that were "
			       "not seen", d->pages_unseen);
	if (d->pages_gone > 0)
		report_note(r, "%" PRIu64 " bytes of pages were unmapped by system calls that were "
			       "not seen", d->pages_gone);
}

static void note_requests(struct report *r, const struct result *result)
{
	const struct counters *c = &result->counters;

	if (result->notes & MU_NOTE_NO_REQUESTS)
		report_note(r, "code cannot be changed here: requests of Valgrind's macros are not "
			       "served");
	if (result->notes & MU_NOTE_LATE_REQUESTS)
		report_note(r, "requests of Valgrind's macros are not served in objects that were "
			       "loaded after the start");
	if (result->request_refused > 0)
		report_note(r, "requests of Valgrind's macros are not served at %" PRIu32 " of %"
			       PRIu32 " places: no room for a jump near them",
			    result->request_refused,
			    result->request_places + result->request_refused);
	if (c->requests == 0 && c->request_nested > 0)
		report_note(r, "%" PRIu64 " blocks lie inside others, which are counted already: "
			       "they are in no total", c->request_nested);
	if (c->requests == 0)
		return;
	report_note(r, "%" PRIu64 " client requests: %" PRIu64 " blocks announced inside others, "
		       "which are in no total; %" PRIu64 " errors",
		    c->requests, c->request_nested, c->request_errors);
}

static void note_symbol(struct report *r, const struct result_symbol *s)
{
	char calls[UNITS_LENGTH];

	if (s->why[0])
		report_note(r, "calls of %s in %s are not seen: %s", s->name, s->object, s->why);
	else if (s->calls > 0)
		report_note(r, "%s in %s: patched, %s calls", s->name, s->object,
			    units_grouped(calls, s->calls));
	else
		report_note(r, "%s in %s: patched, but never called: it may be inlined", s->name,
			    s->object);
}

/* A rule that fits no function is an error of the user's, or the symbols are gone. */
static void note_rule(struct report *r, const struct result *result, uint32_t rule)
{
	const struct settings *s = r->settings;
	bool is_free = rule >= s->alloc_symbol.count;
	const char *text = is_free ? s->free_symbol.item[rule - s->alloc_symbol.count]
				   : s->alloc_symbol.item[rule];
	bool is_auto = strcmp(text, "auto") == 0;

	if (is_auto && result->idle_functions > 0)
		report_note(r, "--alloc-symbol=auto: %" PRIu32 " functions of known allocators "
			       "were patched, but never called", result->idle_functions);
	for (uint32_t i = 0; i < result->symbol_count; i++)
		if (is_auto ? result->symbol[i].kind == MU_SYMBOL_FAMILY
			    : result->symbol[i].kind == MU_SYMBOL_ASKED &&
				      result->symbol[i].rule == rule)
			return;
	if (!is_auto)
		report_note(r, "--%s-symbol=%s: no function of that name is in the files of the "
			       "program: misspelt, stripped, or inlined everywhere",
			    is_free ? "free" : "alloc", text);
	else if (result->idle_functions == 0)
		report_note(r, "--alloc-symbol=auto: no function of a known allocator was found");
}

static void note_symbols(struct report *r, const struct result *result)
{
	const struct settings *s = r->settings;
	size_t rules = s->alloc_symbol.count + s->free_symbol.count;

	for (uint32_t i = 0; i < result->symbol_count; i++)
		note_symbol(r, &result->symbol[i]);
	if (result->symbols_more > 0)
		report_note(r, "%" PRIu32 " more functions were to be seen", result->symbols_more);
	for (uint32_t rule = 0; rule < rules && result->symbols_more == 0; rule++)
		note_rule(r, result, rule);
}

static void print_accesses(struct report *r, const struct result *result)
{
	char a[UNITS_LENGTH], b[UNITS_LENGTH];

	if (result->notes & MU_NOTE_COPIES)
		report_note(r, "copies: %s bytes in %s calls",
			    units_grouped(a, result->copied_bytes),
			    units_grouped(b, result->copies));
	if (!result->has_accesses)
		return;
	if (result->notes & MU_NOTE_NO_HOOKS)
		report_note(r, "reads and writes were not counted: the program was not built for "
			       "it (--print-cflags, --print-libs)");
	else
		report_note(r, "reads: %s bytes, writes: %s bytes, in blocks (counted by %s)",
			    units_grouped(a, result->read_bytes),
			    units_grouped(b, result->written_bytes),
			    result->notes & MU_NOTE_EMULATED ? "emulation" : "hooks");
}

void notes_print(struct report *r, const struct result *result)
{
	print_accesses(r, result);
	if (result->threads_max > 1 && result->peak_slack > 0)
		report_note(r, "%" PRIu32 " threads: heap peak is exact to within %" PRIu64
			       " bytes",
			    result->threads_max, result->peak_slack);
	if (r->settings->mode == MODE_AD_HOC)
		report_note(r, "ad hoc events are recorded, allocations are not (--mode=ad-hoc)");
	note_facts(r, result);
	note_symbols(r, result);
	note_unwound(r, &result->unwound);
	note_pauses(r, result);
	note_pages(r, result);
	note_requests(r, result);
	note_drops(r, result);
}

static void print_threads(struct report *r, const struct result *result)
{
	for (uint32_t i = 0; i < result->thread_count; i++) {
		const struct result_thread *t = &result->thread[i];

		report_note(r, "thread %" PRIu32 " %s: stack peak: %" PRIu64
			       " seen, %" PRIu64 " touched",
			    t->tid, t->name, t->stack_peak, t->stack_mark);
	}
}

void notes_print_details(struct report *r, const struct result *result,
			 const struct rusage *usage)
{
	char a[UNITS_LENGTH], b[UNITS_LENGTH], c[UNITS_LENGTH];
	const struct mu_process *p = &result->process;

	print_threads(r, result);
	note_unwound_kind(r, &result->unwound, &result->unwound.guessed,
			  "were found by frame pointers in code without unwind tables");
	if (p->exit_mono_ns > p->start_mono_ns)
		report_note(r, "time: %s in this image",
			    units_time(a, p->exit_mono_ns - p->start_mono_ns));
	if (usage)
		report_note(r, "CPU time: %s user, %s system; most memory: %s",
			    units_time(a, (uint64_t)usage->ru_utime.tv_sec * 1000000000 +
						  (uint64_t)usage->ru_utime.tv_usec * 1000),
			    units_time(b, (uint64_t)usage->ru_stime.tv_sec * 1000000000 +
						  (uint64_t)usage->ru_stime.tv_usec * 1000),
			    units_bytes(c, (uint64_t)usage->ru_maxrss * 1024));
	memory_print(r->text, "memusage: ", &result->memory, result->rss_peak);
	report_note(r, "the recorder used %s; %" PRIu64 " bytes were live at the end; %" PRIu64
		       " frees of unknown blocks",
		    units_bytes(a, result->recorder_bytes), result->heap_now,
		    result->counters.foreign_frees);
	if (result->pages_own > 0)
		report_note(r, "mapped at the end: besides the pages that are counted %" PRIu64
			       " bytes of addresses that are memusage's; of the main stack %"
			       PRIu64 " are counted",
			    result->pages_own, result->pages_stack);
	report_note(r, "%" PRIu64 " images recorded", r->images);
}
