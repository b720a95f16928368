/* json_run.c -- Figures and facts of a run, as members of the JSON object.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/json_run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "formats/base/notes.h"
#include "formats/json.h"
#include "profile/read/lifetimes.h"
#include "profile/read/marks.h"
#include "profile/read/result.h"

static void write_end(FILE *out, struct image_end end)
{
	char text[IMAGE_END_TEXT];

	fprintf(out, "\"exit\":\"%s\",\"status\":", image_end_word(end));
	if (image_end_has_status(end))
		fprintf(out, "%" PRIu32, end.status);
	else
		fputs("null", out);
	fprintf(out, ",\"ended\":\"%s\"", image_end_text(end, text));
}

const char *json_function_name(unsigned int fn)
{
	static const char *const names[MU_FN_COUNT] = {
		"malloc", "realloc", "calloc", "free", "mmap(r)", "mmap(w)", "mmap(a)", "mremap",
		"munmap", "memalign",
	};

	return fn < MU_FN_COUNT ? names[fn] : "other";
}

/* The families of functions in the table of the summary. */
static void write_calls(FILE *out, const struct counters *c)
{
	fputs("\"calls\":{", out);
	for (unsigned int i = 0; i < MU_FN_COUNT; i++)
		fprintf(out, "%s\"%s\":{\"calls\":%" PRIu64 ",\"bytes\":%" PRIu64
			",\"failed\":%" PRIu64 "}", i ? ",\n " : "", json_function_name(i),
			c->calls[i], c->bytes[i], c->failed[i]);
	fputs("},\n", out);
}

static void write_histogram(FILE *out, const struct counters *c)
{
	const char *before = "";

	fputs("\"histogram\":[", out);
	for (unsigned int i = 0; i < MU_HIST_BUCKETS; i++) {
		if (c->hist[i] == 0)
			continue;
		fprintf(out, "%s[%u,%u,%" PRIu64 "]", before, i * MU_HIST_STEP,
			(i + 1) * MU_HIST_STEP - 1, c->hist[i]);
		before = ",";
	}
	if (c->hist_large)
		fprintf(out, "%s[%u,null,%" PRIu64 "]", before, MU_HIST_BUCKETS * MU_HIST_STEP,
			c->hist_large);
	fputs("],\n", out);
}

static void write_threads(FILE *out, const struct result *r)
{
	fprintf(out, "\"threads_max\":%" PRIu32 ",\"threads\":[", r->threads_max);
	for (uint32_t i = 0; i < r->thread_count; i++) {
		fprintf(out, "%s{\"tid\":%" PRIu32 ",\"name\":", i ? ",\n " : "",
			r->thread[i].tid);
		json_put_string(out, r->thread[i].name);
		fprintf(out, ",\"stack_peak\":%" PRIu64 "}", r->thread[i].stack_peak);
	}
	fputs("],\n", out);
}

/* Only a snapshot knows the time. */
static void write_peak_time(FILE *out, const struct image *im)
{
	const uint64_t start = im->head.process.start_mono_ns;
	const uint64_t count = image_count(im, MU_SEC_SNAPSHOTS);
	struct mu_snapshot s, peak = { .heap = -1 };

	for (uint64_t i = 0; i < count && image_snapshot(im, i, &s); i++)
		if (s.heap > peak.heap || s.kind == MU_SNAPSHOT_PEAK)
			peak = s;
	fputs("\"peak_time_ns\":", out);
	if (peak.heap < 0)
		fputs("null,\n", out);
	else
		fprintf(out, "%" PRIu64 ",\n", peak.mono_ns > start ? peak.mono_ns - start : 0);
}

static void write_lifetimes(FILE *out, const struct image *im)
{
	struct mu_lifetimes lives;
	unsigned int count = lifetimes_of(im, &lives) ? MU_LIFETIME_CLASSES : 0;

	while (count > 0 && lives.blocks[count - 1] == 0)
		count--;
	fputs("\"lifetimes\":[", out);
	for (unsigned int i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", lives.blocks[i]);
	fputs("],\n", out);
}

void json_put_interval(FILE *out, const char *name, struct sampled_interval i)
{
	fprintf(out, ",\"%s\":[%.0f,%.0f]", name, i.low, i.high);
}

void json_put_heap_bounds(FILE *out, int64_t heap, const struct json_estimates *of)
{
	const struct sampled_error e = site_errors_at_moment(&of->sum, heap, of->distance);

	if (of->distance > 0)
		json_put_interval(out, "heap_95",
				  sampled_bytes_interval(&e, (double)heap, of->distance));
}

static void write_marks(FILE *out, const struct image *im, const struct json_estimates *of)
{
	static const char *const kinds[] = { "mark", "pause", "resume", "ad-hoc" };
	const uint64_t start = im->head.process.start_mono_ns;
	struct mu_mark mark;

	fputs("\"marks\":[", out);
	for (uint64_t i = 0; marks_get(im, i, &mark); i++) {
		char text[256];

		image_string(im, &mark.text, text, sizeof(text));
		fprintf(out, "%s{\"time_ns\":%" PRIu64 ",\"kind\":\"%s\",\"heap\":%" PRIu64,
			i ? ",\n " : "",
			mark.mono_ns > start ? mark.mono_ns - start : 0,
			mark.kind < 4 ? kinds[mark.kind] : "other", mark.value);
		json_put_heap_bounds(out, (int64_t)mark.value, of);
		fputs(",\"text\":", out);
		json_put_string(out, text);
		putc('}', out);
	}
	fputs("],\n", out);
}

/* Blocks that the process had when memusage attached to it. */
static void write_before(FILE *out, const struct result *r)
{
	static const char *const words[] = {
		[MU_BEFORE_KNOWN] = "exact", [MU_BEFORE_AT_MOST] = "at most",
		[MU_BEFORE_APART] = "apart",
	};
	const struct result_recorded *from = &r->recorded;

	if (from->before == MU_BEFORE_UNKNOWN)
		return;
	fprintf(out, "\"before\":{\"known\":\"%s\",\"blocks\":%" PRIu64 ",\"bytes\":%" PRIu64
		",\"gone_blocks\":%" PRIu64 ",\"gone_bytes\":%" PRIu64 "},\n", words[from->before],
		from->before_blocks, from->before_bytes,
		from->earlier_frees + from->earlier_reallocs, from->before_gone);
}

struct list_writer {
	FILE *out;
	bool has_items;
};

static void write_drop(void *list, uint64_t count, const char *what)
{
	struct list_writer *w = list;

	fprintf(w->out, "%s{\"count\":%" PRIu64 ",\"what\":", w->has_items ? ",\n " : "", count);
	json_put_string(w->out, what);
	putc('}', w->out);
	w->has_items = true;
}

static void write_note(void *list, const char *line)
{
	struct list_writer *w = list;

	fputs(w->has_items ? ",\n " : "", w->out);
	json_put_string(w->out, line);
	w->has_items = true;
}

static void write_notes(FILE *out, const struct result *r)
{
	struct list_writer drops = { .out = out }, lines = { .out = out };
	const struct notes to = { .put = write_note, .data = &lines };

	fputs("\"drops\":[", out);
	if (r->drops.blocks > 0)
		write_drop(&drops, r->drops.blocks, "blocks");
	notes_drops(r, write_drop, &drops);
	fputs("],\n\"notes\":[", out);
	notes_put(&to, r);
	fputs("],\n", out);
}

static void write_figures(FILE *out, const struct result *r)
{
	fprintf(out, "\"heap\":{\"now\":%" PRIu64 ",\"peak\":%" PRIu64 ",\"peak_bound\":%" PRIu64
		"},\n", r->heap_now, r->heap_peak, r->peak_bound);
	write_end(out, r->end);
	fprintf(out, ",\n\"heap_total\":%" PRIu64 ",\"call_count\":%" PRIu64 ",\"stack_peak\":%"
		PRIu64 ",\"recorder_bytes\":%" PRIu64 ",\n", counters_heap_total(&r->counters),
		counters_calls(&r->counters), r->stack_peak, r->memory.recorder);
	write_before(out, r);
	write_calls(out, &r->counters);
	write_histogram(out, &r->counters);
	write_threads(out, r);
	write_notes(out, r);
}

static void write_process_bounds(FILE *out, const struct process_entry *p)
{
	const struct {
		const char *name;
		uint64_t bytes;
		const struct sampled_error *error;
	} figure[] = {
		{ "peak_95", p->peak, &p->peak_error },
		{ "own_peak_95", p->own_peak, &p->own_peak_error },
		{ "own_live_95", p->own_live, &p->own_live_error },
	};

	for (size_t i = 0; p->sample_distance > 0 && i < sizeof(figure) / sizeof(*figure); i++)
		json_put_interval(out, figure[i].name,
				  sampled_bytes_interval(figure[i].error, (double)figure[i].bytes,
							 p->sample_distance));
}

static void write_processes(FILE *out, const struct export *e)
{
	const struct process_list *list = e->processes;

	fputs("\"processes\":[", out);
	for (uint32_t i = 0; list && i < list->count; i++) {
		const struct process_entry *p = &list->entry[i];

		fprintf(out, "%s{\"pid\":%d,\"parent\":%d,\"forked\":%s,\"last\":%s,\"command\":",
			i ? ",\n " : "\n ", (int)p->pid, (int)p->parent,
			p->is_forked ? "true" : "false", p->is_last ? "true" : "false");
		json_put_string(out, p->command);
		fprintf(out, ",\"start_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64 ",\"peak\":%"
			PRIu64 ",\"live\":%" PRIu64 ",\"own_peak\":%" PRIu64 ",\"own_live\":%"
			PRIu64 ",", p->start_ns - list->entry[0].start_ns,
			p->end_ns > p->start_ns ? p->end_ns - p->start_ns : 0, p->peak, p->live,
			p->own_peak, p->own_live);
		write_end(out, p->end);
		write_process_bounds(out, p);
		putc('}', out);
	}
	fputs("],\n", out);
}

void json_write_run(FILE *out, const struct export *e, const struct json_estimates *of)
{
	struct result *r = xmalloc(sizeof(*r));
	struct image im = *e->image;

	result_take(r, &im);
	write_figures(out, r);
	free(r);
	write_peak_time(out, e->image);
	write_lifetimes(out, e->image);
	write_marks(out, e->image, of);
	write_processes(out, e);
}
