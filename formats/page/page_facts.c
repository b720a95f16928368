/* page_facts.c -- what a report page says of a process in figures and words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_facts.h"

#include <stdlib.h>

#include "formats/base/notes.h"
#include "profile/read/lifetimes.h"

static void write_run_end(struct page_json *j, const struct page_image *p)
{
	const struct mu_process *process = &p->export->image->head.process;

	page_json_bool(j, "ended_normally", process->exit == MU_EXIT_NORMAL);
	page_json_bool(j, "forked", process->fork_mono_ns != 0);
}

static void write_run_facts(struct page_json *j, const struct page_image *p)
{
	const struct export *e = p->export;
	char *cwd = image_text(e->image, &e->image->head.process.cwd);

	page_json_open(j, "run", '{');
	page_json_text_cut(j, "command", e->command, 16384);
	page_json_text(j, "exe", p->result->exe);
	page_json_text(j, "cwd", cwd ? cwd : "");
	page_json_uint(j, "pid", e->pid);
	page_json_uint(j, "ppid", p->result->process.ppid);
	page_json_uint(j, "start_ms", e->start_real_ns / 1000000);
	page_json_uint(j, "duration", e->duration_ns);
	page_json_text(j, "unit", "ns");
	page_json_uint(j, "threads", p->result->threads_max);
	page_json_uint(j, "images", p->images);
	write_run_end(j, p);
	page_json_close(j, '}');
	free(cwd);
}

static void write_recorded_kinds(struct page_json *j, const struct page_image *p)
{
	const struct image *im = p->export->image;
	uint32_t flags = p->segment->config.flags;

	page_json_open(j, "recorded", '{');
	page_json_bool(j, "stacks", flags & MU_CFG_STACKS);
	page_json_bool(j, "mmap", flags & MU_CFG_MMAP);
	page_json_bool(j, "pages", flags & MU_CFG_PAGES);
	page_json_bool(j, "copies", flags & MU_CFG_COPIES);
	page_json_bool(j, "ad_hoc", flags & MU_CFG_AD_HOC);
	page_json_bool(j, "snapshots", image_count(im, MU_SEC_SNAPSHOTS) > 0);
	page_json_bool(j, "samples", image_count(im, MU_SEC_TIMELINE) > 0);
	page_json_bool(j, "marks", image_count(im, MU_SEC_MARKS) > 0);
	page_json_bool(j, "accesses", image_count(im, MU_SEC_ACCESSES) > 0);
	page_json_bool(j, "lifetimes", flags & MU_CFG_STACKS);
	page_json_close(j, '}');
}

static void write_totals(struct page_json *j, const struct page_image *p)
{
	const struct result *r = p->result;

	page_json_open(j, "totals", '{');
	page_json_uint(j, "bytes", counters_heap_total(&r->counters));
	page_json_uint(j, "calls", counters_calls(&r->counters));
	page_json_uint(j, "peak", r->heap_peak);
	page_json_uint(j, "slack", r->peak_bound);
	page_json_uint(j, "end", r->heap_now);
	page_json_uint(j, "stack_peak", r->stack_peak);
	page_json_uint(j, "recorder", r->recorder_bytes);
	page_json_uint(j, "admin", p->segment->config.heap_admin);
	page_json_close(j, '}');
}

static void write_number_row(struct page_json *j, const char *key, const uint64_t *value)
{
	page_json_open(j, key, '[');
	for (int i = 0; i < MU_FN_COUNT; i++)
		page_json_uint(j, NULL, value[i]);
	page_json_close(j, ']');
}

static void write_call_counters(struct page_json *j, const struct counters *c)
{
	page_json_open(j, "counters", '{');
	write_number_row(j, "calls", c->calls);
	write_number_row(j, "bytes", c->bytes);
	write_number_row(j, "failed", c->failed);
	page_json_uint(j, "realloc_nomove", c->realloc_nomove);
	page_json_uint(j, "realloc_dec", c->realloc_dec);
	page_json_uint(j, "realloc_free", c->realloc_free);
	page_json_uint(j, "foreign_frees", c->unknown_frees);
	page_json_close(j, '}');
}

/* Triples: from, to, how many. Steps of 16 up to 1 KiB, then an eighth of a power of two. */
static void write_size_classes(struct page_json *j, const struct counters *c)
{
	page_json_open(j, "sizes", '[');
	for (unsigned int i = 0, step = 1; i < MU_HIST_BUCKETS; i += step) {
		uint64_t count = 0;

		while (i >= 16 * step && i % (16 * step) == 0)
			step *= 2;
		for (unsigned int k = 0; k < step && i + k < MU_HIST_BUCKETS; k++)
			count += c->hist[i + k];
		if (count == 0)
			continue;
		page_json_uint(j, NULL, (uint64_t)i * MU_HIST_STEP);
		page_json_uint(j, NULL, (uint64_t)(i + step) * MU_HIST_STEP - 1);
		page_json_uint(j, NULL, count);
	}
	if (c->hist_large) {
		page_json_uint(j, NULL, (uint64_t)MU_HIST_BUCKETS * MU_HIST_STEP);
		page_json_uint(j, NULL, 0);
		page_json_uint(j, NULL, c->hist_large);
	}
	page_json_close(j, ']');
}

/* Blocks that are gone, by classes of their age (struct mu_lifetimes). */
static void write_lifetime_classes(struct page_json *j, const struct image *im)
{
	struct mu_lifetimes lives;
	unsigned int count = MU_LIFETIME_CLASSES;

	if (!lifetimes_of(im, &lives))
		return;
	while (count > 0 && lives.blocks[count - 1] == 0)
		count--;
	page_json_open(j, "lifetimes", '[');
	for (unsigned int i = 0; i < count; i++)
		page_json_uint(j, NULL, lives.blocks[i]);
	page_json_close(j, ']');
}

static void write_thread_facts(struct page_json *j, const struct result *r)
{
	page_json_open(j, "threads", '[');
	for (uint32_t i = 0; i < r->thread_count; i++) {
		page_json_open(j, NULL, '{');
		page_json_uint(j, "tid", r->thread[i].tid);
		page_json_text(j, "name", r->thread[i].name);
		page_json_uint(j, "stack", r->thread[i].stack_peak);
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
}

static void write_drop_count(void *json, uint64_t count, const char *what)
{
	page_json_uint(json, NULL, count);
	page_json_text(json, NULL, what);
}

static void write_drop_counts(struct page_json *j, const struct result *r)
{
	page_json_open(j, "drops", '[');
	if (r->drops.blocks > 0)
		write_drop_count(j, r->drops.blocks,
				 "blocks: the heap and its peak are too low by them");
	notes_drops(r, write_drop_count, j);
	page_json_close(j, ']');
}

/* Functions that --alloc-symbol and --own-malloc intercepted, or why they did not. */
static void write_symbol_list(struct page_json *j, const struct result *r)
{
	if (r->symbol_count == 0)
		return;
	page_json_open(j, "symbols", '[');
	for (uint32_t i = 0; i < r->symbol_count; i++) {
		page_json_open(j, NULL, '{');
		page_json_text(j, "name", r->symbol[i].name);
		page_json_text(j, "object", r->symbol[i].object);
		page_json_uint(j, "calls", r->symbol[i].calls);
		if (r->symbol[i].why[0])
			page_json_text(j, "why", r->symbol[i].why);
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
}

static void write_one_note(struct page_json *j, bool is_true, const char *object, const char *what)
{
	if (!is_true)
		return;
	page_json_text(j, NULL, object);
	page_json_text(j, NULL, what);
}

static void write_unnamed_modules(struct page_json *j, const struct profile *p)
{
	for (uint32_t i = 0; i < p->modules.count && i < p->symbols.modules; i++) {
		const char *why = symbols_state_text(p->symbols.state[i]);

		write_one_note(j, why && p->modules.module[i].path[0] == '/',
			       p->modules.module[i].path, why);
	}
}

/* Pairs: the object that it is about, or "", and what is to be said. */
static void write_notes(struct page_json *j, const struct page_image *p)
{
	const struct result *r = p->result;
	const uint32_t n = r->notes;

	page_json_open(j, "notes", '[');
	write_one_note(j, n & MU_NOTE_FOREIGN_MALLOC, r->foreign,
		       "the program calls this object's malloc directly: those calls are not seen");
	write_one_note(j, n & MU_NOTE_DEEPBIND, r->foreign,
		       "opened with RTLD_DEEPBIND: its calls are not seen");
	write_one_note(j, n & MU_NOTE_SYMBOLIC, r->foreign,
		       "binds its own malloc (-Bsymbolic): its calls are not seen");
	write_one_note(
		j, n & MU_NOTE_NAMESPACE, "",
		"an object was opened in a namespace of its own (dlmopen): its calls are not "
		"seen");
	write_one_note(j, n & MU_NOTE_SIGPROF_TAKEN, "",
		       "the program uses SIGPROF itself: the stack was seen at events only");
	write_one_note(j, n & MU_NOTE_RAW_CLONE, "",
		       "the process began by a raw clone(): blocks from before it are not known");
	write_one_note(j, n & MU_NOTE_SMALL_ARENA, "",
		       "a limit leaves little room for recording (ulimit -v, or mlockall with "
		       "ulimit -l)");
	write_one_note(j, n & MU_NOTE_ARENA_FULL, "", "the memory for recording was full");
	write_unnamed_modules(j, p->export->filter->profile);
	page_json_close(j, ']');
}

void page_put_facts(struct page_json *j, const struct page_image *p)
{
	write_run_facts(j, p);
	write_recorded_kinds(j, p);
	write_totals(j, p);
	write_call_counters(j, &p->result->counters);
	write_size_classes(j, &p->result->counters);
	write_lifetime_classes(j, p->export->image);
	write_thread_facts(j, p->result);
	write_drop_counts(j, p->result);
	write_symbol_list(j, p->result);
	write_notes(j, p);
}
