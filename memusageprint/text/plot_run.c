/* plot_run.c -- Draws a recording or a massif.out in a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/plot.h"

#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "formats/massif.h"
#include "memusageprint/text/frame_text.h"
#include "memusageprint/text/metric_text.h"
#include "profile/base/number.h"
#include "profile/model/top.h"
#include "profile/read/image_end.h"

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
	FILE *line = xopen_memstream(&text, &size);
	char when[64], peak[UNITS_LENGTH];

	terminal_put(line, command);
	xclose_memstream(line);
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
	c->x_end = (double)image_duration_ns(im);
	for (size_t i = 0; i < c->count; i++) {
		struct mu_snapshot s = { .heap = 0 };

		image_snapshot(im, i, &s);
		c->x[i] = elapsed_ns(p->start_mono_ns, s.mono_ns);
		c->heap[i] = s.heap > 0 ? (double)s.heap : 0;
		c->total[i] = c->heap[i] + (s.extra > 0 ? (double)s.extra : 0) +
			      (s.stacks > 0 ? (double)s.stacks : 0);
	}
}

/* Takes a frame with the marks of cli/layout.h apart. */
static void put_frame(FILE *out, const struct plot_style *style, char *text)
{
	char *line = strpbrk(text, LAYOUT_FRAME_LINE), *end = strpbrk(text, LAYOUT_FRAME_END);

	if (end)
		*end = '\0';
	if (line)
		*line++ = '\0';
	plot_place(out, style, text + (end != NULL), line ? line : "");
}

/* "live at the peak: 41.2 MiB +- 3.1 (95 %); --top shows the bounds of each place" */
static void put_places_heading(FILE *out, const struct top *top, double distance)
{
	char bytes[BOUNDS_LENGTH];

	if (distance > 0)
		fprintf(out, "\nlive at the peak: %s (95 %%); --top shows the bounds of each place"
			     "\n\n",
			bounds_bytes_text(bytes, &top->error, top->bytes, distance));
	else
		fprintf(out, "\nlive at the peak: %s\n\n",
			units_bytes(bytes, (uint64_t)top->bytes));
}

static void put_top_places(FILE *out, const struct plot_style *style, const struct profile *p,
			   const struct top *top, unsigned int most)
{
	char bytes[UNITS_LENGTH];

	for (uint32_t i = 0; i < top->count && i < most; i++) {
		const struct top_entry *e = &top->entry[i];
		char *text = NULL;
		size_t size;
		FILE *place = xopen_memstream(&text, &size);

		if (e->lines > 1)
			frame_text_put_function(place, p, p->frame[e->at.frame].location,
						position_level(p, &e->at));
		else
			frame_text_put_position(place, p, &e->at);
		xclose_memstream(place);
		plot_bar(out, style, metric_text_percent(e->bytes, top->bytes) / 100,
			 units_bytes(bytes, (uint64_t)e->bytes));
		put_frame(out, style, text);
		free(text);
	}
}

void plot_places(FILE *out, const struct filter *f, const struct weight *weight,
		 double distance, const struct settings *settings)
{
	const struct plot_style style = plot_style_of(settings);
	struct top top;

	top_build(&top, f, weight, TOP_BY_FUNCTION, TOP_BY_BYTES);
	put_places_heading(out, &top, distance);
	put_top_places(out, &style, f->profile, &top, settings->top);
	top_free(&top);
}

int plot_recording(FILE *out, struct report_subject *s, const struct settings *settings)
{
	const struct plot_style style = plot_style_of(settings);
	struct plot_curve c;
	const struct mu_heap *heap = &s->image.head.heap;
	char *command = report_subject_command(s);
	int result;

	load_snapshot_curve(&c, &s->image);
	if (c.count > 1) {
		put_command_and_peak(out, &style, &c, command,
				     positive_or_zero(image_is_above_peak(&s->image) ? heap->now :
										       heap->peak));
		plot_curve(out, &style, &c);
	} else {
		warn("%s: no course of the run was recorded", s->recording->name);
	}
	result = report_subject_weigh(s, METRIC_PEAK, 0);
	if (result == 0)
		plot_places(out, &s->filter, s->weight, s->distance, settings);
	curve_free(&c);
	free(command);
	return result;
}

/* ---- a massif.out -------------------------------------------------------------------------- */

void plot_massif_curve(FILE *out, const struct massif_file *m, const struct settings *settings)
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
	curve_free(&c);
}
