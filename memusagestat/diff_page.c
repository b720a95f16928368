/* diff_page.c -- Loads what the HTML page of two files shows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/diff_page.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "formats/page/page_diff.h"
#include "memusagestat/diff_input.h"
#include "profile/read/timeline.h"

/* In the order in which the page offers them; the first that both files tell matches stacks. */
static const enum metric_kind kinds[] = { METRIC_PEAK, METRIC_LIVE, METRIC_TOTAL };
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

struct diff_page {
	struct diff_input *input[SIDES];
	struct comparison comparison;
	struct diff_export export;
	struct weight *weight[KINDS][SIDES];
	struct sampled_error *error[KINDS];
	char *process[SIDES];
	struct page_diff page;
};

/* ---- the heap over time -------------------------------------------------------------------- */

/* Keeps the points in order: a snapshot that the recorder dates back may precede another one. */
static void append_point(struct page_curve *c, uint64_t time, int64_t heap)
{
	if (c->count > 0 && time < c->time[c->count - 1])
		time = c->time[c->count - 1];
	c->time[c->count] = time;
	c->heap[c->count++] = heap > 0 ? heap : 0;
}

static void make_room(struct page_curve *c, size_t points)
{
	c->time = xcalloc(points + 1, sizeof(*c->time));
	c->heap = xcalloc(points + 1, sizeof(*c->heap));
}

/* A recording without snapshots has samples of its heap. */
static void take_samples(struct page_curve *c, const struct image *im)
{
	struct timeline t;

	if (timeline_load(&t, im, NULL) < 0)
		xno_memory();
	make_room(c, t.count);
	for (uint32_t i = 0; i < t.count; i++) {
		const uint64_t ns = t.sample[i].mono_ns;

		append_point(c, ns > t.start_ns ? ns - t.start_ns : 0, t.sample[i].heap);
	}
	timeline_free(&t);
}

static void take_recorded_curve(struct page_curve *c, const struct image *im)
{
	const uint64_t shots = image_count(im, MU_SEC_SNAPSHOTS);
	const uint64_t start = im->head.process.start_mono_ns;
	const uint64_t end = im->head.process.exit_mono_ns;
	struct mu_snapshot shot;

	c->unit = "ns";
	if (shots < 2 || shots > UINT32_MAX / 2) {
		take_samples(c, im);
		return;
	}
	make_room(c, shots + 1);
	for (uint64_t i = 0; i < shots && image_snapshot(im, i, &shot); i++)
		append_point(c, shot.mono_ns > start ? shot.mono_ns - start : 0, shot.heap);
	if (!image_is_merge(im)) /* its processes ended at other times */
		append_point(c, end > start ? end - start : 0, im->head.heap.now);
}

static void take_massif_curve(struct page_curve *c, const struct massif_file *m)
{
	c->unit = massif_unit_name(m->unit);
	make_room(c, m->count);
	for (size_t i = 0; i < m->count; i++)
		append_point(c, m->snapshots[i].time, (int64_t)m->snapshots[i].heap);
}

static void take_curve(struct page_curve *c, const struct diff_input *in)
{
	if (in->kind == INPUT_RECORDING)
		take_recorded_curve(c, &in->recorded.image);
	else if (in->kind == INPUT_MASSIF)
		take_massif_curve(c, &in->massif);
}

/* ---- figures ------------------------------------------------------------------------------- */

static void weigh_metric(struct diff_page *p, enum metric_kind kind)
{
	const uint32_t sites = p->comparison.profile.sites.count;
	const uint32_t number = p->export.metrics++;
	struct weight *change = xcalloc((size_t)sites + 1, sizeof(*change));
	struct sampled_error *error[SIDES];

	for (int s = 0; s < SIDES; s++) {
		struct weight *to = xcalloc((size_t)sites + 1, sizeof(*to));

		error[s] = xcalloc((size_t)sites + 1, sizeof(*error[s]));
		diff_input_weigh(p->input[s], kind);
		comparison_weigh(&p->comparison, s, p->input[s]->weight, to, error[s]);
		p->weight[number][s] = to;
	}
	if (p->export.distance > 0)
		p->error[number] = xcalloc((size_t)sites + 1, sizeof(*p->error[number]));
	comparison_change(&p->comparison, p->weight[number][SIDE_OLD], p->weight[number][SIDE_NEW],
			  change, p->error[number]);
	p->export.metric[number] = (struct diff_metric){
		.kind = kind, .error = p->error[number],
		.weight = { p->weight[number][SIDE_OLD], p->weight[number][SIDE_NEW] } };
	for (int s = 0; s < SIDES; s++)
		free(error[s]);
	free(change);
}

static bool both_know(const struct diff_page *p, enum metric_kind kind)
{
	return diff_input_knows(p->input[SIDE_OLD], kind) &&
	       diff_input_knows(p->input[SIDE_NEW], kind);
}

static void match_stacks(struct diff_page *p)
{
	struct compare_side side[SIDES];
	int first = 0;

	while (first < KINDS && !both_know(p, kinds[first]))
		first++;
	if (first == KINDS)
		die("%s and %s tell no figures of the same moment", p->export.file[SIDE_OLD],
		    p->export.file[SIDE_NEW]);
	for (int s = 0; s < SIDES; s++) {
		diff_input_weigh(p->input[s], kinds[first]);
		side[s] = (struct compare_side){ p->input[s]->filter, p->input[s]->weight };
	}
	comparison_init(&p->comparison, side);
	for (int i = first; i < KINDS; i++) {
		if (both_know(p, kinds[i]))
			weigh_metric(p, kinds[i]);
	}
}

static char *describe_process(const struct diff_input *in)
{
	if (in->kind == INPUT_RECORDING)
		return xasprintf("process %u, %s", in->recorded.image.head.process.pid,
				 in->recorded.command);
	return xstrdup(in->kind == INPUT_MASSIF && in->massif.cmd ? in->massif.cmd : "");
}

struct diff_page *diff_page_open(const struct settings *settings)
{
	const char *const file[SIDES] = { settings->old_input, settings->input };
	struct diff_page *p = xcalloc(1, sizeof(*p));
	struct diff_export *e = &p->export;

	e->comparison = &p->comparison;
	e->version = MEMUSAGE_VERSION;
	e->has_blocks = true;
	for (int s = 0; s < SIDES; s++) {
		struct diff_input *in = diff_input_open(file[s], settings->html, "page", settings);

		p->input[s] = in;
		e->file[s] = in->source.name;
		e->process[s] = p->process[s] = describe_process(in);
		e->has_blocks &= in->has_blocks;
		e->distance = in->distance > e->distance ? in->distance : e->distance;
		take_curve(&p->page.curve[s], in);
	}
	match_stacks(p);
	p->page.what = e;
	page_diff_init(&p->page);
	return p;
}

bool diff_page_is_cut(const struct diff_page *p)
{
	return p->input[SIDE_OLD]->source.is_cut || p->input[SIDE_NEW]->source.is_cut;
}

void diff_page_fill(struct page_json *j, const void *data, const struct page_budget *b)
{
	page_diff_fill(j, &((const struct diff_page *)data)->page, b);
}

void diff_page_free(struct diff_page *p)
{
	page_diff_free(&p->page);
	comparison_free(&p->comparison);
	for (int s = 0; s < SIDES; s++) {
		for (int i = 0; i < KINDS; i++)
			free(p->weight[i][s]);
		free(p->page.curve[s].time);
		free(p->page.curve[s].heap);
		free(p->process[s]);
		diff_input_close(p->input[s]);
	}
	for (int i = 0; i < KINDS; i++)
		free(p->error[i]);
	free(p);
}
