/* page_facts.c -- what a report page says of a process in figures and words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "formats/base/memory.h"
#include "formats/base/notes.h"
#include "formats/page/page_processes.h"
#include "profile/model/moment.h"
#include "profile/model/place_trends.h"
#include "profile/read/lifetimes.h"
#include "profile/read/site_errors.h"

static void write_run_end(struct page_json *j, const struct page_image *p)
{
	const struct mu_process *process = &p->export->image->head.process;

	page_json_bool(j, "ended_normally", process->exit == MU_EXIT_NORMAL);
	page_json_bool(j, "forked", process->fork_mono_ns != 0);
	page_put_end(j, p->result->end);
}

static void write_run_facts(struct page_json *j, const struct page_image *p)
{
	const struct export *e = p->export;
	char *cwd = xcheck(image_text(e->image, &e->image->head.process.cwd));

	page_json_open(j, "run", '{');
	page_json_text_cut(j, "command", e->command, 16384);
	page_json_text(j, "exe", p->result->exe);
	page_json_text(j, "cwd", cwd);
	page_json_uint(j, "pid", e->pid);
	page_json_uint(j, "ppid", p->result->process.ppid);
	page_json_uint(j, "start_ms", e->start_real_ns / 1000000);
	page_json_uint(j, "duration", e->duration_ns);
	if (image_is_merge(e->image))
		page_json_bool(j, "merged", true);
	page_json_text(j, "unit", "ns");
	page_json_uint(j, "threads", p->result->threads_max);
	page_json_uint(j, "images", p->processes ? p->processes->count : 1);
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
	page_json_uint(j, "recorder", r->memory.recorder);
	page_json_uint(j, "admin", p->segment->config.heap_admin);
	page_json_close(j, '}');
}

static void write_sampling(struct page_json *j, const struct image *im)
{
	const struct mu_sampling *s = &im->head.sampling;
	const double distance = sampled_mean_distance(im);
	const struct sampled_most most = sampled_most_in(im);

	if (distance <= 0)
		return;
	page_json_open(j, "sampling", '{');
	page_json_real(j, "bytes", distance);
	page_json_uint(j, "first_bytes", UINT64_C(1) << (s->first_log2 & 63));
	page_json_uint(j, "samples", s->samples);
	page_json_uint(j, "cost_ns", s->slow_ns);
	page_json_real(j, "unseen", sampled_bytes_unseen(distance));
	page_json_real(j, "unseen_here", sampled_bytes_unseen_in(im));
	if (isfinite(most.bytes)) {
		page_json_real(j, "most_bytes", most.bytes);
		page_json_real(j, "most_blocks", most.blocks);
	}
	page_json_close(j, '}');
}

static void write_moment(struct page_json *j, const char *key, const struct moment *m)
{
	page_json_open(j, key, '{');
	page_json_text(j, "kind", moment_kind_name(m->kind));
	page_json_uint(j, "t", m->ns);
	page_json_close(j, '}');
}

/* The moments whose growth is shown at first. */
static void write_growth(struct page_json *j, const struct image *im)
{
	struct growth_range g;

	moment_choose_range(&g, im);
	page_json_open(j, "growth", '{');
	write_moment(j, "from", &g.from);
	write_moment(j, "to", &g.to);
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

static void write_unnamed_modules(struct page_json *j, const struct profile *p)
{
	char line[4352];

	for (uint32_t i = 0; i < p->modules.count && i < p->symbols.modules; i++) {
		const char *why = symbols_state_text(p->symbols.state[i]);
		const char *path = p->modules.module[i].path;

		if (!why || path[0] != '/')
			continue;
		snprintf(line, sizeof(line), "%.4096s: %s", path, why);
		page_json_text(j, NULL, line);
	}
}

static void write_note_text(void *json, const char *line)
{
	page_json_text(json, NULL, line);
}

static void skip_note_text(void *json, const char *line)
{
}

/* Every sentence of the other reports, those first from which a figure becomes less certain. */
static void write_notes(struct page_json *j, const struct page_image *p)
{
	const struct notes gaps = { .put = write_note_text, .data = j,
				    .put_figure = skip_note_text };
	const struct notes figures = { .put = skip_note_text, .data = j,
				       .put_figure = write_note_text };

	page_json_open(j, "notes", '[');
	notes_put(&gaps, p->result);
	write_unnamed_modules(j, p->export->filter->profile);
	page_json_close(j, ']');
	page_json_open(j, "figures", '[');
	notes_put(&figures, p->result);
	notes_guessed(&(struct notes){ .put = write_note_text, .data = j }, p->result);
	page_json_close(j, ']');
}

static void write_memory_uses(struct page_json *j, const char *key,
			      const struct memory_part *part, int count)
{
	page_json_open(j, key, '[');
	for (int i = 0; i < count; i++) {
		page_json_open(j, NULL, '{');
		page_json_text(j, "part", part[i].key);
		page_json_uint(j, "bytes", part[i].bytes);
		page_json_text(j, "text", part[i].text);
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
}

/* The uses of the memory when the program had most, in the words of the text reports. */
static void write_memory_split(struct page_json *j, const struct result *r)
{
	const struct memory_split *m = &r->memory;
	struct memory_part part[MEMORY_PARTS], outside[MEMORY_OUTSIDE];

	if (m->resident == 0)
		return;
	page_json_open(j, "memory", '{');
	page_json_uint(j, "t", m->time_ns);
	page_json_uint(j, "resident", m->resident);
	page_json_uint(j, "highest", m->highest);
	page_json_uint(j, "rss_peak", r->rss_peak);
	page_json_uint(j, "unknown", m->unknown);
	write_memory_uses(j, "parts", part, memory_parts(m, part));
	write_memory_uses(j, "outside", outside, memory_outside(m, outside));
	page_json_close(j, '}');
}

static void write_resident_rise(struct page_json *j, const struct image *im)
{
	struct resident_rise r;

	if (!resident_rise_find(&r, im))
		return;
	page_json_open(j, "resident_rise", '{');
	page_json_uint(j, "from", r.from);
	page_json_uint(j, "to", r.to);
	page_json_uint(j, "heap_from", r.heap_from);
	page_json_uint(j, "heap_to", r.heap_to);
	page_json_close(j, '}');
}

void page_put_facts(struct page_json *j, const struct page_image *p)
{
	write_run_facts(j, p);
	if (p->processes)
		page_put_processes(j, p->processes, p->slot);
	write_recorded_kinds(j, p);
	write_totals(j, p);
	write_sampling(j, p->export->image);
	write_growth(j, p->export->image);
	write_call_counters(j, &p->result->counters);
	write_size_classes(j, &p->result->counters);
	write_lifetime_classes(j, p->export->image);
	write_thread_facts(j, p->result);
	write_memory_split(j, p->result);
	write_resident_rise(j, p->export->image);
	write_notes(j, p);
}
