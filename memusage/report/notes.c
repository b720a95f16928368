/* notes.c -- Notes on the figures of a summary, and the details of --verbose.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/notes.h"

#include <inttypes.h>
#include <string.h>

#include "cli/units.h"
#include "formats/base/memory.h"
#include "formats/base/notes.h"
#include "recording/family.h"

/* A rule without a function is the user's mistake, or the symbols were stripped. */
static void note_unused_rule(struct report *r, const struct result *result, uint32_t rule)
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
			    : result->symbol[i].kind == MU_SYMBOL_NAMED &&
				      result->symbol[i].rule == rule)
			return;
	if (!is_auto)
		report_note(r,
			    "--%s-symbol=%s: the files of the program have no function of that "
			    "name; it is misspelt, stripped or inlined everywhere",
			    is_free ? "free" : "alloc", text);
	else if (result->idle_functions == 0)
		report_note(r, "--alloc-symbol=auto: no function of a known allocator was found");
}

static void note_unused_rules(struct report *r, const struct result *result)
{
	const struct settings *s = r->settings;
	size_t rules = s->alloc_symbol.count + s->free_symbol.count;

	for (uint32_t rule = 0; rule < rules && result->symbols_more == 0; rule++)
		note_unused_rule(r, result, rule);
}

static void add_note(void *report, const char *line)
{
	report_note(report, "%s", line);
}

void notes_print(struct report *r, const struct result *result)
{
	const struct notes to = { .put = add_note, .data = r };

	if (r->settings->mode == RUN_MODE_AD_HOC)
		report_note(r, "only ad hoc events were recorded, no allocations (--mode=ad-hoc)");
	notes_put(&to, result);
	note_unused_rules(r, result);
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
	char a[UNITS_LENGTH], b[UNITS_LENGTH], c[UNITS_LENGTH], end[IMAGE_END_TEXT];
	const struct mu_process *p = &result->process;
	const struct notes to = { .put = add_note, .data = r };

	report_note(r, "the program ended: %s", image_end_text(result->end, end));
	print_threads(r, result);
	notes_guessed(&to, result);
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
	memory_print(r->text, "memusage: ", &result->memory, result->rss_peak,
		     &result->errors);
	if (result->memory.recorder > 0)
		report_note(r, "the recorder used %s", units_bytes(a, result->memory.recorder));
	report_note(r, "%" PRIu64 " bytes were live at the end; %" PRIu64
		       " frees of unknown blocks",
		    result->heap_now, result->counters.unknown_frees);
	if (result->pages_own > 0)
		report_note(r,
			    "mapped at the end: %" PRIu64
			    " bytes of addresses are memusage's and not counted; of the main "
			    "stack %" PRIu64 " bytes are counted",
			    result->pages_own, result->pages_stack);
	report_note(r, "%" PRIu64 " images recorded", r->images);
}
