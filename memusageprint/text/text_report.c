/* text_report.c -- Texts about an image of a recording: summary, places, marks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/text_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/layout.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "formats/base/memory.h"
#include "formats/base/notes.h"
#include "formats/summary.h"
#include "memusageprint/export/spacetime_export.h"
#include "memusageprint/text/calltree.h"
#include "memusageprint/text/fragmentation.h"
#include "memusageprint/text/grep.h"
#include "memusageprint/text/growth.h"
#include "memusageprint/text/holders_report.h"
#include "memusageprint/text/leak_text.h"
#include "memusageprint/text/plot.h"
#include "memusageprint/text/toplist.h"
#include "profile/read/image_end.h"
#include "profile/read/marks.h"
#include "profile/read/result.h"

enum {
	MARK_TEXT = 256,
	SUMMARY_MARKS = 40,	/* most marks in a summary */
	MARK_BYTES_WIDTH = 11, MARK_ESTIMATE_WIDTH = 21
};

/* In copy mode the places are those of copies, and blocks have none. Returns whether it is that. */
static bool tell_of_copies(FILE *out, const struct report_subject *s)
{
	if (!(s->recording->segment.head.config.flags & MU_CFG_COPIES))
		return false;
	fputs("\nthe places of this run are those of copies (--mode=copy), not of blocks: "
	      "memusageprint --dhat lists them\n", out);
	return true;
}

static int print_place_list(FILE *out, struct report_subject *s, enum metric_kind kind,
			    const struct settings *settings)
{
	const struct toplist list = toplist_of_subject(s, kind, settings);

	if (tell_of_copies(out, s))
		return 0;
	if (report_subject_weigh(s, kind, 0) < 0)
		return -1;
	putc('\n', out);
	if (grep_weights(out, report_subject_complete(s), s->weight, settings->grep))
		toplist_print(out, &list);
	return 0;
}

static int print_call_tree(FILE *out, struct report_subject *s, const struct settings *settings)
{
	const struct calltree tree = {
		.filter = &s->filter,
		.weight = s->weight,
		.kind = settings_metric(settings),
		.threshold = settings->threshold,
		.depth = settings->depth,
		.is_live = report_subject_is_live(s),
		.distance = s->distance,
		.unseen = s->unseen,
	};

	if (tell_of_copies(out, s))
		return 0;
	if (report_subject_weigh(s, tree.kind, settings->tree) < 0)
		return -1;
	putc('\n', out);
	if (grep_weights(out, report_subject_complete(s), s->weight, settings->grep))
		calltree_print(out, &tree);
	return 0;
}

static void put_note_line(void *out, const char *line)
{
	fputs("memusage: " LAYOUT_TEXT, out);
	terminal_put(out, line);
	putc('\n', out);
}

/* The lines of glibc's summary stay as they are on a terminal; the notes on PAGE fit it. */
static void print_run_summary(FILE *out, FILE *page, const struct report_subject *s,
			      bool has_color)
{
	struct result *result = xmalloc(sizeof(*result));
	const struct notes to = { .put = put_note_line, .data = page };
	struct image im = s->image;

	result_take(result, &im);
	summary_print(out, result, has_color,
		      s->recording->segment.head.config.flags & MU_CFG_MMAP);
	notes_put(&to, result);
	free(result);
}

/* "process 1234: exit status 3" */
static void put_process_end(FILE *page, const struct report_subject *s, const char *before)
{
	struct image_end end = image_end_of(&s->image.head);
	char text[IMAGE_END_TEXT];

	fprintf(page, "%sprocess %d: " LAYOUT_TEXT "%s\n", before, (int)s->pid,
		image_end_text(end, text));
}

/* "     1.234567 s     1.21 KiB  loaded": the time since the start, the heap at it, the name. */
static void print_one_mark(FILE *out, const struct report_subject *s, const struct mu_mark *mark,
			   const struct site_errors *errors)
{
	const double distance = sampled_mean_distance(&s->image);
	const struct sampled_error e = site_errors_at_moment(errors, (int64_t)mark->value,
							     distance);
	uint64_t start = s->image.head.process.start_mono_ns;
	uint64_t ns = mark->mono_ns > start ? mark->mono_ns - start : 0;
	char text[BOUNDS_LENGTH], name[MARK_TEXT];

	image_string(&s->image, &mark->text, name, sizeof(name));
	fprintf(out, "%9" PRIu64 ".%06" PRIu64 " s  %*s  ", ns / 1000000000, ns / 1000 % 1000000,
		distance > 0 ? MARK_ESTIMATE_WIDTH : MARK_BYTES_WIDTH,
		bounds_bytes_text(text, &e, (int64_t)mark->value, distance));
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
	struct site_errors errors;
	struct mu_mark mark;

	if (count == 0) {
		if (is_wanted)
			fputs("\nthe program marked no moment\n", out);
		return;
	}
	fprintf(out, "\n  since the start  %*s  mark\n",
		site_errors_sum(&errors, &s->profile.sites, &s->image) ? MARK_ESTIMATE_WIDTH :
									  MARK_BYTES_WIDTH,
		"heap");
	for (uint64_t i = 0; (is_wanted || i < SUMMARY_MARKS) && marks_get(&s->image, i, &mark);
	     i++)
		print_one_mark(out, s, &mark, &errors);
	if (!is_wanted && count > SUMMARY_MARKS)
		fprintf(out, "%" PRIu64 " more: --marks lists all\n", count - SUMMARY_MARKS);
}

/* Prints how much of the memory of the process is heap. */
static void print_memory_split(FILE *out, const struct report_subject *s)
{
	struct site_errors errors;
	struct timeline t;

	if (timeline_load(&t, &s->image, NULL) == 0 && t.count > 0) {
		site_errors_sum(&errors, &s->profile.sites, &s->image);
		putc('\n', out);
		memory_print_timeline(out, "", &t, &errors);
	}
	timeline_free(&t);
}

/* "process 4711, ./server 80, at 12.3 s, while it runs:" */
static void print_moment_of_copy(FILE *out, const struct report_subject *s)
{
	char *command = report_subject_command(s), time[UNITS_LENGTH];

	fprintf(out, "process %d, ", (int)s->pid);
	terminal_put(out, command);
	fprintf(out, ", %s after %s, while it runs:\n",
		units_duration(time, image_duration_ns(&s->image)),
		s->image.head.notes & MU_NOTE_ATTACHED ? "memusage attached" : "its start");
	free(command);
}

/* Prints the reports that fit themselves to the width of the terminal. */
static int print_places(FILE *out, struct report_subject *s, const struct settings *settings,
			unsigned text)
{
	int result = 0;

	if (text & TEXT_TOP)
		result |= print_place_list(out, s, METRIC_PEAK, settings);
	if (text & TEXT_TREE)
		result |= print_call_tree(out, s, settings);
	if (text & TEXT_LEAKS)
		result |= print_place_list(out, s, METRIC_LIVE, settings);
	if (text & TEXT_GROWTH)
		result |= growth_print(out, s, settings);
	if (text & TEXT_TEMPORARY)
		result |= print_place_list(out, s, METRIC_TEMPORARY, settings);
	if (text & TEXT_FRAGMENTATION)
		result |= fragmentation_print(out, s, settings);
	if (text & TEXT_HOLDERS)
		result |= holders_print(out, s, settings);
	if (text & TEXT_AD_HOC)
		result |= print_place_list(out, s, METRIC_AD_HOC, settings);
	if (settings->runtime_frames == RUNTIME_UNSAID)
		report_subject_show_runtime(s);
	if (text & TEXT_SPACETIME)
		result |= spacetime_export_summary(out, s, settings);
	if (text != TEXT_FRAGMENTATION && text != TEXT_HOLDERS && result == 0)
		print_memory_split(out, s);
	return result;
}

int text_report_print(FILE *out, struct report_subject *s, const struct settings *settings,
		      unsigned text)
{
	const struct layout_style style = settings_layout(settings);
	FILE *page = layout_open(out, style);
	int result = 0;

	report_subject_hide_runtime(s, settings);
	if (s->is_live_copy && text != TEXT_LEAK_CHECK)
		print_moment_of_copy(page, s);
	if (text & TEXT_SUMMARY) {
		print_run_summary(out, page, s, style.has_color);
		put_process_end(page, s, "memusage: ");
	} else if (settings->pid && text != TEXT_PLOT && text != TEXT_LEAK_CHECK) {
		put_process_end(page, s, "\n");
	}
	if (text & (TEXT_SUMMARY | TEXT_MARKS))
		print_all_marks(page, s, text & TEXT_MARKS);
	fflush(page);
	if (text & TEXT_PLOT)
		result |= plot_recording(out, s, settings);
	/* Its lines are not broken: other programs read them. */
	if (text & TEXT_LEAK_CHECK)
		result |= leak_text_print(out, s, settings);
	if (text & ~(unsigned)(TEXT_PLOT | TEXT_LEAK_CHECK))
		result |= print_places(page, s, settings, text);
	fclose(page);
	return result;
}
