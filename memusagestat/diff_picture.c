/* diff_picture.c -- Draws a flame graph of two files: what grew and what shrank.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/diff_picture.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "formats/page/page_stacks.h"
#include "memusagestat/diff_input.h"
#include "memusagestat/drawing/theme.h"
#include "memusagestat/flame.h"
#include "profile/compare/comparison.h"

enum { FLAME_WIDTH = 1200 };

struct diff_picture {
	const struct settings *settings;
	struct diff_input *input[SIDES];
	struct comparison comparison;
	int64_t *amount[SIDES];		/* per site of the comparison */
	struct sampled_error *error;	/* of the changes; NULL: exact */
	double distance;
};

/* In the order of the words of --flame. */
static const struct {
	enum metric_kind kind;
	const char *what;
} metrics[] = {
	{ METRIC_PEAK, "live at the peak" },
	{ METRIC_LIVE, "live at the end" },
	{ METRIC_TOTAL, "allocated in total" },
};

/* ---- the picture --------------------------------------------------------------------------- */

static void weigh_sides(struct diff_picture *p)
{
	const uint32_t sites = p->comparison.profile.sites.count;
	struct weight *weight[SIDES], *change = xcalloc((size_t)sites + 1, sizeof(*change));
	struct sampled_error *error[SIDES];

	for (int s = 0; s < SIDES; s++) {
		weight[s] = xcalloc((size_t)sites + 1, sizeof(*weight[s]));
		error[s] = xcalloc((size_t)sites + 1, sizeof(*error[s]));
		p->amount[s] = xcalloc((size_t)sites + 1, sizeof(*p->amount[s]));
		comparison_weigh(&p->comparison, s, p->input[s]->weight, weight[s], error[s]);
		for (uint32_t i = 0; i < sites; i++)
			p->amount[s][i] = weight[s][i].bytes;
	}
	if (p->distance > 0)
		p->error = xcalloc((size_t)sites + 1, sizeof(*p->error));
	comparison_change(&p->comparison, weight[SIDE_OLD], weight[SIDE_NEW], change, p->error);
	for (int s = 0; s < SIDES; s++) {
		free(weight[s]);
		free(error[s]);
	}
	free(change);
}

/* A box is as wide as the larger of both, so that what is gone is seen too. */
static int64_t larger_amount(const void *data, uint32_t site, enum page_metric metric)
{
	const struct diff_picture *p = data;
	const int64_t old = p->amount[SIDE_OLD][site], new = p->amount[SIDE_NEW][site];

	return old > new ? old : new;
}

static void draw_picture(struct diff_picture *p, struct drawing *drawing)
{
	const struct settings *s = p->settings;
	const struct flame_change change = { .old = p->amount[SIDE_OLD],
					     .new = p->amount[SIDE_NEW], .error = p->error,
					     .distance = p->distance };
	struct page_stacks stacks;
	struct page_sites sites = { .count = p->comparison.profile.sites.count,
				    .value = larger_amount, .data = p,
				    .metrics = 1u << PAGE_PEAK_BYTES };
	char *title = xasprintf("%s to %s", p->input[SIDE_OLD]->source.name,
				p->input[SIDE_NEW]->source.name);
	const struct flame f = {
		.sites = &sites, .tree = &stacks.tree, .metric = PAGE_PEAK_BYTES,
		.title = s->title ? s->title : title, .what = metrics[s->flame].what,
		.change = &change,
		.width = s->has_width ? s->width : FLAME_WIDTH,
		.height = s->has_height ? s->height : 0,
	};

	page_stacks_init(&stacks, &p->comparison.filter);
	sites.node = stacks.node;
	flame_draw(drawing, &f, theme_find(s->theme == THEME_DARK ? "dark" : "light"));
	page_stacks_free(&stacks);
	free(title);
}

static int write_picture(const struct settings *s, const struct drawing *drawing)
{
	const struct png_note notes[] = {
		{ "Title", s->title },
		{ "Software", "memusagestat (memusage) " MEMUSAGE_VERSION },
	};
	struct output out;

	if (output_open(&out, s->output, 0) < 0)
		return -1;
	drawing_write(drawing, &out, s->format, notes, 2);
	return output_close(&out);
}

/* Opens a file, and weighs its sites by the metric of the picture. */
static struct diff_input *open_side(const char *file, const struct settings *s)
{
	const enum metric_kind kind = metrics[s->flame].kind;
	struct diff_input *in = diff_input_open(file, s->output, "picture", s);

	if (!diff_input_knows(in, kind))
		die("%s: holds no figures of this moment%s", in->source.name,
		    in->kind == INPUT_PPROF ? ": try --flame=end or --flame=total" : "");
	diff_input_weigh(in, kind);
	return in;
}

int diff_picture_run(const struct settings *settings)
{
	const char *const file[SIDES] = { settings->old_input, settings->input };
	struct diff_picture p = { .settings = settings };
	struct compare_side side[SIDES];
	struct drawing drawing = { .count = 0 };
	bool is_cut = false;
	int result;

	for (int s = 0; s < SIDES; s++) {
		p.input[s] = open_side(file[s], settings);
		side[s] = (struct compare_side){ p.input[s]->filter, p.input[s]->weight };
		if (p.input[s]->distance > p.distance)
			p.distance = p.input[s]->distance;
		is_cut |= p.input[s]->source.is_cut;
	}
	comparison_init(&p.comparison, side);
	weigh_sides(&p);
	draw_picture(&p, &drawing);
	result = write_picture(settings, &drawing);
	drawing_fini(&drawing);
	comparison_free(&p.comparison);
	for (int s = 0; s < SIDES; s++) {
		free(p.amount[s]);
		diff_input_close(p.input[s]);
	}
	free(p.error);
	return is_cut ? -1 : result;
}
