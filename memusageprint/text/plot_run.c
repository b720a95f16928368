/* plot_run.c -- Draws a recording or a massif.out in a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/plot.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/massif.h"
#include "formats/massif_convert.h"
#include "memusageprint/text/frame_text.h"
#include "memusageprint/text/metric_text.h"
#include "profile/model/top.h"

enum { PLACE = 4096 };

static void curve_init(struct plot_curve *c, size_t count)
{
	c->count = count;
	c->x = xcalloc(count + 1, sizeof(*c->x));
	c->heap = xcalloc(count + 1, sizeof(*c->heap));
	c->total = xcalloc(count + 1, sizeof(*c->total));
}

static void curve_free(struct plot_curve *c)
{
	free(c->x);
	free(c->heap);
	free(c->total);
}

static const char *ns_text(char *text, double x)
{
	return units_duration(text, units_whole(x));
}

static const char *ms_text(char *text, double x)
{
	return units_duration(text, units_whole(x * 1e6));
}

static const char *bytes_text(char *text, double x)
{
	return units_bytes(text, units_whole(x));
}

static const char *instructions_text(char *text, double x)
{
	char number[UNITS_LENGTH];

	snprintf(text, 64, "%s instructions", units_grouped(number, units_whole(x)));
	return text;
}

/* The snapshot of the peak may be a little below the exact peak, which replaces it in the curve. */
static void put_command_and_peak(FILE *out, const struct plot_style *style,
				 const struct plot_curve *c,
				 const char *command, uint64_t exact)
{
	char *text = NULL;
	size_t size, at = 0;
	FILE *line = open_memstream(&text, &size);
	char when[64], peak[UNITS_LENGTH];

	if (!line)
		die("out of memory");
	terminal_put(line, command);
	if (fclose(line) != 0 || !text)
		die("out of memory");
	plot_cut(out, style, text, false);
	free(text);
	for (size_t i = 0; i < c->count; i++) {
		if (c->heap[i] > c->heap[at])
			at = i;
	}
	if ((double)exact < c->heap[at])
		exact = units_whole(c->heap[at]);
	c->total[at] += (double)exact - c->heap[at];
	c->heap[at] = (double)exact;
	fprintf(out, "\nheap peak: %s at ", units_bytes(peak, exact));
	fprintf(out, "%s\n\n", c->x_text(when, c->x[at]));
}

/* ---- a recording --------------------------------------------------------------------------- */

static double elapsed_ns(uint64_t start, uint64_t now)
{
	return now > start ? (double)(now - start) : 0;
}

static void load_snapshot_curve(struct plot_curve *c, const struct image *im)
{
	const struct mu_process *p = &im->head.process;

	curve_init(c, image_count(im, MU_SEC_SNAPSHOTS));
	c->x_text = ns_text;
	c->x_end = elapsed_ns(p->start_mono_ns, p->exit_mono_ns);
	for (size_t i = 0; i < c->count; i++) {
		struct mu_snapshot s = { .heap = 0 };

		image_snapshot(im, i, &s);
		c->x[i] = elapsed_ns(p->start_mono_ns, s.mono_ns);
		c->heap[i] = s.heap > 0 ? (double)s.heap : 0;
		c->total[i] = c->heap[i] + (s.extra > 0 ? (double)s.extra : 0) +
			      (s.stacks > 0 ? (double)s.stacks : 0);
		if (c->x[i] > c->x_end)
			c->x_end = c->x[i];
	}
}

static void put_top_places(FILE *out, const struct plot_style *style,
			   const struct report_subject *s,
			   const struct top *top, unsigned int most)
{
	char bytes[UNITS_LENGTH];

	fprintf(out, "\nlive at the peak: %s\n\n", units_bytes(bytes, (uint64_t)top->bytes));
	for (uint32_t i = 0; i < top->count && i < most; i++) {
		const struct top_entry *e = &top->entry[i];
		char *text = NULL;
		size_t size;
		FILE *place = open_memstream(&text, &size);

		if (!place)
			die("out of memory");
		frame_text_put_position(place, &s->profile, &e->at);
		if (fclose(place) != 0 || !text)
			die("out of memory");
		plot_bar(out, style, metric_text_percent(e->bytes, top->bytes) / 100,
			 units_bytes(bytes, (uint64_t)e->bytes));
		plot_cut(out, style, text, true);
		free(text);
	}
}

static int plot_largest_places(FILE *out, const struct plot_style *style, struct report_subject *s,
			       unsigned int most)
{
	struct attribution h = { .filter = NULL };
	struct top top = { .count = 0 };
	struct mu_error err;
	int result = -1;

	if (report_subject_weigh(s, METRIC_PEAK, 0) < 0)
		return -1;
	if (attribution_init(&h, &s->filter, &err) < 0 ||
	    top_build(&top, &h, s->weight, TOP_HOLDERS, false, &err) < 0) {
		warn("%s: %s", s->recording->name, err.text);
	} else {
		put_top_places(out, style, s, &top, most);
		result = 0;
	}
	top_free(&top);
	attribution_free(&h);
	return result;
}

int plot_recording(FILE *out, struct report_subject *s, const struct settings *settings)
{
	const struct plot_style style = plot_style_of(settings);
	struct plot_curve c;
	char *command = report_subject_command(s);
	int result;

	load_snapshot_curve(&c, &s->image);
	if (c.count > 1) {
		put_command_and_peak(out, &style, &c, command, s->image.head.heap.peak > 0 ?
						   (uint64_t)s->image.head.heap.peak : 0);
		plot_curve(out, &style, &c);
	} else {
		warn("%s: no course of the run was recorded", s->recording->name);
	}
	result = plot_largest_places(out, &style, s, settings->top);
	curve_free(&c);
	free(command);
	return result;
}

/* ---- a massif.out -------------------------------------------------------------------------- */

/* Prints the first level of the tree: the functions that allocated. */
static void put_tree_places(FILE *out, const struct plot_style *style, const struct massif_file *m,
			    unsigned int most)
{
	const struct massif_snapshot *s = massif_peak(m);
	const struct massif_node *root = s ? massif_tree(m, s) : NULL, *node = root + 1;
	char bytes[UNITS_LENGTH], *name = xmalloc(PLACE), *text = xmalloc(2 * PLACE);

	if (root)
		fprintf(out, "\nlive at the peak: %s\n\n", units_bytes(bytes, root->bytes));
	for (uint32_t i = 0; root && i < root->children && i < most; i++, node += node->size) {
		struct massif_place place = massif_place(massif_text(m, node));

		snprintf(text, 2 * PLACE, "%s%s%.*s%s", massif_place_name(&place, name, PLACE),
			 place.file_length ? " (" : "", place.file_length, place.file,
			 place.file_length ? ")" : "");
		plot_bar(out, style,
			 metric_text_percent((int64_t)node->bytes, (int64_t)root->bytes) / 100,
			 units_bytes(bytes, node->bytes));
		terminal_clean_text(text);
		plot_cut(out, style, text, true);
	}
	free(name);
	free(text);
}

static void plot_massif_file(FILE *out, const struct massif_file *m,
			     const struct settings *settings)
{
	const struct plot_style style = plot_style_of(settings);
	struct plot_curve c = { .x_text = m->unit == MASSIF_MS ? ms_text :
					  m->unit == MASSIF_BYTES ? bytes_text :
								    instructions_text };

	curve_init(&c, m->count);
	for (size_t i = 0; i < m->count; i++) {
		c.x[i] = (double)m->snapshots[i].time;
		c.heap[i] = (double)m->snapshots[i].heap;
		c.total[i] = (double)massif_total(&m->snapshots[i]);
		c.x_end = c.x[i] > c.x_end ? c.x[i] : c.x_end;
	}
	put_command_and_peak(out, &style, &c, m->cmd, 0);
	plot_curve(out, &style, &c);
	put_tree_places(out, &style, m, settings->top);
	curve_free(&c);
}

int plot_massif(const struct report_job *job)
{
	struct massif_file m;
	struct mu_error err;
	int result;

	if (job->settings->text != TEXT_PLOT) {
		warn("%s: this is a massif.out: --plot is the only report of places for it",
		     job->in->name);
		return -1;
	}
	result = massif_read(&m, &job->in->text, &err);
	if (result < 0)
		warn("%s: %s", job->in->name, err.text);
	if (m.count > 0)
		plot_massif_file(report_job_begin(job), &m, job->settings);
	massif_free(&m);
	return result;
}
