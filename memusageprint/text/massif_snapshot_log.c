/* massif_snapshot_log.c -- The lines that Massif prints with -v -v and --stats=yes.
 *
 * The recording has every snapshot, in order. The culling follows from that: this file repeats it
 * on the series.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/massif_snapshot_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { NUMBERS = 2, SNAPSHOTS_MIN = 10, SNAPSHOTS_MAX = 1000 };

struct snapshot_log {
	FILE *out;
	pid_t pid;
	const struct image *im;
	const struct settings *settings;
	uint64_t number[MU_MASSIF_COUNT];
	struct mu_snapshot_log_entry *series;	/* snapshots that are left, in order */
	size_t count, most;
	size_t real, detailed, peaks, cullings;
	bool is_silent;		/* these lines are the parent's, or not wanted */
};

static void __attribute__((format(printf, 2, 3))) print_line(const struct snapshot_log *j,
							     const char *format,
							     ...)
{
	va_list args;

	if (j->is_silent)
		return;
	fprintf(j->out, "--%d-- Massif: ", (int)j->pid);
	va_start(args, format);
	vfprintf(j->out, format, args);
	va_end(args);
	fputc('\n', j->out);
}

static bool read_entry(const struct image *im, uint64_t i, struct mu_snapshot_log_entry *entry)
{
	return image_copy_entry(im, MU_SEC_SNAPSHOT_LOG, i, entry, sizeof(*entry));
}

/* ---- the series -------------------------------------------------------------------------- */

static void print_snapshot(const struct snapshot_log *j, const char *what, size_t i)
{
	const struct mu_snapshot_log_entry *s = &j->series[i];
	char kind = s->kind == MU_SNAPSHOT_PEAK ? 'p' : s->kind == MU_SNAPSHOT_DETAILED ? 'd' : '.';

	print_line(j, "%s S%c%3zu (t:%" PRIu64 ", hp:%" PRId64 ", ex:%" PRId64 ", st:0)", what,
		   kind, i,
		   s->time, s->heap, s->extra);
}

/* Numbers are those before the culling: culled snapshots keep them until its end. */
static void print_culled(struct snapshot_log *j, const size_t *left, size_t k, size_t i)
{
	char what[64];

	snprintf(what, sizeof(what), " %3zu (t-span = %" PRIu64 ")", k,
		 j->series[left[i + 1]].time - j->series[left[i - 1]].time);
	print_snapshot(j, what, left[i]);
}

static size_t find_narrowest_span(const struct snapshot_log *j, const size_t *left, size_t count)
{
	uint64_t least = UINT64_MAX;
	size_t best = 0;

	for (size_t i = 1; i + 1 < count; i++) {
		uint64_t span = j->series[left[i + 1]].time - j->series[left[i - 1]].time;

		if (j->series[left[i]].kind != MU_SNAPSHOT_PEAK && span < least) {
			best = i;
			least = span;
		}
	}
	return best;
}

static bool is_never_culled(const struct snapshot_log *j, size_t i)
{
	return i == 0 || i + 1 == j->count || j->series[i].kind == MU_SNAPSHOT_PEAK;
}

static void print_new_interval(const struct snapshot_log *j)
{
	uint64_t least = UINT64_MAX;
	size_t best = 0;

	for (size_t i = 1; i < j->count; i++) {
		uint64_t gap = j->series[i].time - j->series[i - 1].time;

		if (is_never_culled(j, i - 1) && is_never_culled(j, i)) {
			print_line(j, "(Ignoring interval %zu--%zu when computing minimum)", i - 1,
				   i);
		} else if (gap < least) {
			least = gap;
			best = i;
		}
	}
	print_line(j, "Finished culling (%3zu of %3zu deleted)", j->most - j->count, j->most);
	for (size_t i = 0; i < j->count; i++)
		print_snapshot(j, "  post-cull", i);
	if (best > 0)
		print_line(j, "New time interval = %" PRIu64 " (between snapshots %zu and %zu)",
			   least, best - 1, best);
}

static void cull_series(struct snapshot_log *j)
{
	size_t left[SNAPSHOTS_MAX], count = j->count;

	for (size_t i = 0; i < count; i++)
		left[i] = i;
	print_line(j, "Culling...");
	for (size_t k = 0; k < j->most / 2; k++) {
		size_t i = find_narrowest_span(j, left, count);

		if (i == 0)
			break;
		print_culled(j, left, k, i);
		memmove(&left[i], &left[i + 1], (--count - i) * sizeof(*left));
	}
	for (size_t i = 0; i < count; i++)
		j->series[i] = j->series[left[i]];
	j->count = count;
	j->cullings++;
	print_new_interval(j);
}

static const char *event_name(const struct mu_snapshot_log_entry *e)
{
	bool is_peak = e->kind == MU_SNAPSHOT_PEAK;

	switch (e->event) {
	case MU_MASSIF_ALLOCS:
		return "  alloc";
	case MU_MASSIF_REALLOCS:
		return is_peak ? "re-PEAK" : "realloc";
	case MU_MASSIF_FREES:
		return is_peak ? "de-PEAK" : "dealloc";
	default:
		return "startup";
	}
}

static void append_snapshot(struct snapshot_log *j, const struct mu_snapshot_log_entry *entry)
{
	bool is_peak = entry->kind == MU_SNAPSHOT_PEAK;

	for (size_t i = 0; is_peak && i < j->count; i++)
		if (j->series[i].kind == MU_SNAPSHOT_PEAK)
			j->series[i].kind = MU_SNAPSHOT_DETAILED;
	j->series[j->count] = *entry;
	j->real++;
	j->detailed += entry->kind != MU_SNAPSHOT_NORMAL;
	j->peaks += is_peak;
	if (entry->skipped)
		print_line(j, "  (skipped %u snapshot%s)", entry->skipped,
			   entry->skipped == 1 ? "" : "s");
	print_snapshot(j, event_name(entry), j->count++);
	if (j->count == j->most)
		cull_series(j);
}

/* ---- lists and statistics ----------------------------------------------------------------- */

static void print_function_lists(const struct snapshot_log *j)
{
	const struct opt_list *ignored = &j->settings->ignore_fn;
	size_t own;
	const char *const *name = filter_alloc_fns(&own);

	print_line(j, "alloc-fns:");
	for (size_t i = 0; i < own; i++)
		print_line(j, "  %s", name[i]);
	for (size_t i = 0; i < j->settings->alloc_fn.count; i++)
		print_line(j, "  %s", j->settings->alloc_fn.item[i]);
	print_line(j, "ignore-fns:");
	if (ignored->count == 0)
		print_line(j, "  <empty>");
	for (size_t i = 0; i < ignored->count; i++)
		print_line(j, "  %zu: %s", i, ignored->item[i]);
}

static void print_statistics(const struct snapshot_log *j)
{
	const uint64_t *n = j->number;
	uint64_t offers = 1 + n[MU_MASSIF_ALLOCS] + n[MU_MASSIF_REALLOCS] + n[MU_MASSIF_FREES] -
			  n[MU_MASSIF_SILENT];

	print_line(j, "heap allocs:           %" PRIu64, n[MU_MASSIF_ALLOCS]);
	print_line(j, "heap reallocs:         %" PRIu64, n[MU_MASSIF_REALLOCS]);
	print_line(j, "heap frees:            %" PRIu64, n[MU_MASSIF_FREES]);
	print_line(j, "ignored heap allocs:   %" PRIu64, n[MU_MASSIF_IGNORED_ALLOCS]);
	print_line(j, "ignored heap frees:    %" PRIu64, n[MU_MASSIF_IGNORED_FREES]);
	print_line(j, "ignored heap reallocs: %" PRIu64, n[MU_MASSIF_IGNORED_REALLOCS]);
	print_line(j, "stack allocs:          0");
	print_line(j, "skipped snapshots:     %" PRIu64, offers - (j->real - j->peaks));
	print_line(j, "real snapshots:        %zu", j->real);
	print_line(j, "detailed snapshots:    %zu", j->detailed);
	print_line(j, "peak snapshots:        %zu", j->peaks);
	print_line(j, "cullings:              %zu", j->cullings);
}

void massif_snapshot_log_print(FILE *out, const struct report_subject *s,
			       const struct settings *settings)
{
	struct snapshot_log j = { .out = out, .pid = s->pid, .im = &s->image, .settings = settings,
			     .most = s->recording->segment.head.config.max_snapshots };
	struct mu_snapshot_log_entry entry;

	for (uint64_t i = 0; i < NUMBERS; i++) {
		if (!read_entry(j.im, i, &entry))
			return;
		memcpy(&j.number[i * 4], &entry, sizeof(entry));
	}
	j.most = j.most < SNAPSHOTS_MIN ? SNAPSHOTS_MIN :
		 j.most > SNAPSHOTS_MAX ? SNAPSHOTS_MAX : j.most;
	j.series = xcalloc(j.most + 1, sizeof(*j.series));
	j.is_silent = !settings->massif_log || j.number[MU_MASSIF_FORKED];
	print_function_lists(&j);
	for (uint64_t i = NUMBERS; read_entry(j.im, i, &entry); i++) {
		j.is_silent = !settings->massif_log || i < j.number[MU_MASSIF_FORKED];
		if (j.count < j.most)
			append_snapshot(&j, &entry);
	}
	j.is_silent = !settings->massif_stats;
	print_statistics(&j);
	free(j.series);
}
