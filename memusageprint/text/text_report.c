/* text_report.c -- Texts about an image of a recording: summary, places, marks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/text_report.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/memory.h"
#include "formats/base/notes.h"
#include "formats/summary.h"
#include "memusageprint/export/spacetime_export.h"
#include "memusageprint/text/calltree.h"
#include "memusageprint/text/frame_text.h"
#include "memusageprint/text/grep.h"
#include "memusageprint/text/plot.h"
#include "memusageprint/text/toplist.h"
#include "profile/read/marks.h"
#include "profile/read/result.h"

enum {
	MARK_TEXT = 256,
	SUMMARY_MARKS = 40	/* most marks in a summary */
};

/* The process of a kept recording has ended; its ID may belong to another one. */
static bool process_still_runs(const struct report_subject *s)
{
	return s->recording->segment.head.kind != MU_KIND_KEPT &&
	       (kill(s->pid, 0) == 0 || errno != ESRCH);
}

static int warn_on_error(const struct report_subject *s, int result, const struct mu_error *err)
{
	if (result < 0)
		warn("%s: %s", s->recording->name, err->text);
	return result;
}

static int print_place_list(FILE *out, struct report_subject *s, enum metric_kind kind,
			    const struct settings *settings)
{
	const struct toplist list = { .filter = &s->filter, .weight = s->weight, .kind = kind,
				      .count = settings->top, .is_live = process_still_runs(s),
				      .group = (enum top_kind)settings->group,
				      .lifetimes = settings->lifetimes };
	struct mu_error err;

	if (report_subject_weigh(s, kind, 0) < 0)
		return -1;
	grep_weights(s, settings->grep);
	putc('\n', out);
	return warn_on_error(s, toplist_print(out, &list, &err), &err);
}

static int print_call_tree(FILE *out, struct report_subject *s, const struct settings *settings)
{
	const struct calltree tree = {
		.filter = &s->filter,
		.weight = s->weight,
		.kind = settings_metric(settings),
		.threshold = settings->threshold,
		.depth = settings->depth,
		.is_live = process_still_runs(s),
	};
	struct mu_error err;

	if (report_subject_weigh(s, tree.kind, settings->tree) < 0)
		return -1;
	grep_weights(s, settings->grep);
	putc('\n', out);
	return warn_on_error(s, calltree_print(out, &tree, &err), &err);
}

static void put_note_line(void *out, const char *line)
{
	fputs("memusage: ", out);
	terminal_put(out, line);
	putc('\n', out);
}

static void print_run_summary(FILE *out, const struct report_subject *s)
{
	struct result *result = xmalloc(sizeof(*result));
	const struct notes to = { put_note_line, out };
	struct image im = s->image;

	result_take(result, &im);
	summary_print(out, result, false,
		      s->recording->segment.head.config.flags & MU_CFG_MMAP);
	notes_put(&to, result);
	free(result);
}

/* "     1.234567 s     1.21 KiB  loaded": the time since the start, the heap at it, the name. */
static void print_one_mark(FILE *out, const struct report_subject *s, const struct mu_mark *mark)
{
	uint64_t start = s->image.head.process.start_mono_ns;
	uint64_t ns = mark->mono_ns > start ? mark->mono_ns - start : 0;
	char text[UNITS_LENGTH], name[MARK_TEXT];

	image_string(&s->image, &mark->text, name, sizeof(name));
	fprintf(out, "%9" PRIu64 ".%06" PRIu64 " s  %11s  ", ns / 1000000000, ns / 1000 % 1000000,
		units_bytes(text, mark->value));
	if (mark->kind == MU_MARK_PAUSE)
		fputs("(recording paused)", out);
	else if (mark->kind == MU_MARK_RESUME)
		fputs("(recording resumed)", out);
	else
		terminal_put(out, name);
	putc('\n', out);
}

/* A summary mentions marks only if there are any. */
static void print_all_marks(FILE *out, const struct report_subject *s, bool is_wanted)
{
	uint64_t count = image_count(&s->image, MU_SEC_MARKS);
	struct mu_mark mark;

	if (count == 0) {
		if (is_wanted)
			fputs("\nthe program marked no moment\n", out);
		return;
	}
	fputs("\n  since the start         heap  mark\n", out);
	for (uint64_t i = 0; (is_wanted || i < SUMMARY_MARKS) && marks_get(&s->image, i, &mark);
	     i++)
		print_one_mark(out, s, &mark);
	if (!is_wanted && count > SUMMARY_MARKS)
		fprintf(out, "%" PRIu64 " more: --marks lists all\n", count - SUMMARY_MARKS);
}

/* Prints how much of the memory of the process is heap. */
static void print_memory_split(FILE *out, const struct report_subject *s)
{
	struct timeline t;

	if (timeline_load(&t, &s->image, NULL) == 0 && t.count > 0) {
		putc('\n', out);
		memory_print_timeline(out, "", &t);
	}
	timeline_free(&t);
}

int text_report_print(FILE *out, struct report_subject *s, const struct settings *settings)
{
	unsigned text = settings->text ? settings->text : TEXT_TOP;
	int result = 0;

	if (text & TEXT_SUMMARY)
		print_run_summary(out, s);
	if (text & (TEXT_SUMMARY | TEXT_MARKS))
		print_all_marks(out, s, text & TEXT_MARKS);
	if (text & TEXT_PLOT)
		result |= plot_recording(out, s, settings);
	if (text & TEXT_TOP)
		result |= print_place_list(out, s, METRIC_PEAK, settings);
	if (text & TEXT_TREE)
		result |= print_call_tree(out, s, settings);
	if (text & TEXT_LEAKS)
		result |= print_place_list(out, s, METRIC_LIVE, settings);
	if (text & TEXT_TEMPORARY)
		result |= print_place_list(out, s, METRIC_TEMPORARY, settings);
	if (text & TEXT_AD_HOC)
		result |= print_place_list(out, s, METRIC_AD_HOC, settings);
	if (text & TEXT_SPACETIME)
		result |= spacetime_export_summary(out, s, settings);
	if (text != TEXT_PLOT)
		print_memory_split(out, s);
	return result;
}
