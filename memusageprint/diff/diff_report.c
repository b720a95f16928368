/* diff_report.c -- The reports of --diff.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/diff/diff_report.h"

#include <stdlib.h>

#include "cli/layout.h"
#include "cli/terminal.h"
#include "cli/xmalloc.h"
#include "memusageprint/diff/diff_exports.h"
#include "memusageprint/diff/diff_list.h"
#include "memusageprint/diff/diff_tree.h"
#include "memusageprint/diff/difference.h"
#include "memusageprint/job/report_job.h"
#include "memusageprint/text/grep.h"

/* Removes what has no frame with the text, on both sides. Returns false if nothing is left. */
static bool grep_sides(FILE *out, struct difference *d, const char *text)
{
	const struct comparison *c = &d->comparison;

	if (!grep_weights(out, &c->filter, d->change, text))
		return false;
	for (int s = 0; s < SIDES; s++) {
		d->total[s] = 0;
		for (uint32_t i = 0; i < c->profile.sites.count; i++) {
			if (!d->change[i].is_there)
				d->weight[s][i] = (struct weight){ .is_there = false };
			d->total[s] += d->weight[s][i].bytes;
		}
	}
	return true;
}

static void put_side(FILE *out, const char *which, const struct diff_side *s)
{
	fprintf(out, "%s  " LAYOUT_TEXT, which);
	terminal_put(out, s->name);
	if (*s->what) {
		fputs(": ", out);
		terminal_put(out, s->what);
	}
	putc('\n', out);
}

/* The texts of one run. */
struct text_printer {
	FILE *out;
	struct difference *d;
	const struct settings *settings;
	bool has_begun;		/* the names of the files were printed */
};

typedef void (*print_fn)(FILE *, const struct difference *, const struct settings *);

/* Prints one report; PRINT is for its metric. */
static int print_text(struct text_printer *t, enum metric_kind kind, int snapshot, print_fn print)
{
	if (difference_weigh(t->d, kind, snapshot) < 0)
		return -1;
	if (!t->has_begun) {
		put_side(t->out, "old", &t->d->side[SIDE_OLD]);
		put_side(t->out, "new", &t->d->side[SIDE_NEW]);
		t->has_begun = true;
	}
	putc('\n', t->out);
	if (grep_sides(t->out, t->d, t->settings->grep))
		print(t->out, t->d, t->settings);
	return 0;
}

static int print_texts(FILE *out, struct difference *d, const struct settings *settings)
{
	const unsigned text = settings->text ? settings->text : TEXT_TOP;
	struct text_printer t = { .out = layout_open(out, settings_layout(settings)), .d = d,
				  .settings = settings };
	int result = 0;

	if (text & TEXT_TOP)
		result |= print_text(&t, METRIC_PEAK, 0, diff_list_print);
	if (text & TEXT_TREE)
		result |= print_text(&t, settings_metric(settings), settings->tree,
				     diff_tree_print);
	if (text & TEXT_LEAKS)
		result |= print_text(&t, METRIC_LIVE, 0, diff_list_print);
	if (text & TEXT_TEMPORARY)
		result |= print_text(&t, METRIC_TEMPORARY, 0, diff_list_print);
	fclose(t.out);
	return result;
}

/* The metric that decides which processes are compared. */
static enum metric_kind first_metric(const struct settings *settings)
{
	if (settings->text & TEXT_TREE && !(settings->text & TEXT_TOP))
		return settings_metric(settings);
	if (settings->text == TEXT_LEAKS)
		return METRIC_LIVE;
	return settings->text == TEXT_TEMPORARY ? METRIC_TEMPORARY : METRIC_PEAK;
}

/* As everywhere, texts hide frames of run-times and other formats have them, unless the user says
 * otherwise. */
static bool hides_runtime(const struct settings *settings)
{
	return settings->runtime_frames == RUNTIME_HIDE ||
	       (settings->runtime_frames == RUNTIME_UNSAID && settings->report != REPORT_EXPORT);
}

int diff_report_print(const struct settings *settings, struct output *output)
{
	struct difference *d = xmalloc(sizeof(*d));
	struct report_job job = { .settings = settings, .output = output };
	int result = difference_open(d, settings, first_metric(settings),
				     hides_runtime(settings));

	if (result == 0) {
		FILE *out = report_job_begin(&job);

		if (settings->report == REPORT_EXPORT) {
			result = diff_exports_write(out, d, settings);
		} else {
			output->has_color = true; /* names are clean already */
			result = print_texts(out, d, settings);
		}
		if (d->side[SIDE_OLD].is_cut || d->side[SIDE_NEW].is_cut)
			result = -1;
	}
	difference_close(d);
	free(d);
	return result;
}
