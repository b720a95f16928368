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
#include "formats/stack_import.h"
#include "memusagestat/drawing/theme.h"
#include "memusagestat/flame.h"
#include "memusagestat/input_file.h"
#include "memusagestat/recorded_process.h"
#include "profile/compare/comparison.h"
#include "profile/read/site_errors.h"

enum { FLAME_WIDTH = 1200 };

/* One of the two files. */
struct diff_input {
	struct input_file source;
	struct recorded_process recorded;
	struct stack_import import;
	struct massif_file massif;
	struct dhat dhat;
	struct pprof_file pprof;
	const struct filter *filter;
	struct weight *weight;		/* one per site */
	struct site_errors *errors;	/* NULL: exact */
	struct sampled_error *error;
	double distance;
	enum input_kind kind;
};

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

/* ---- files --------------------------------------------------------------------------------- */

static void load_recording(struct diff_input *in, enum metric_kind kind, const struct settings *s)
{
	struct recorded_process *r = &in->recorded;
	const struct sites *sites = &r->profile.sites;

	recorded_process_open(r, in->source.path, s);
	in->source.is_cut = r->segment.missing > 0;
	if (s->runtime_frames == RUNTIME_HIDE)
		recorded_process_hide_runtime(r, s);
	in->filter = r->export.filter;
	in->weight = xcalloc((size_t)sites->count + 1, sizeof(*in->weight));
	if (sites_weigh(sites, &r->image, kind, 0, in->weight) < 0)
		die("%s: holds no such figures", in->source.name);
	in->distance = sampled_mean_distance(&r->image);
	if (in->distance <= 0)
		return;
	in->errors = xcheck(site_errors_load(sites, &r->image));
	in->error = xcalloc((size_t)sites->count + 1, sizeof(*in->error));
	site_errors_weigh(sites, in->errors, kind, in->weight, in->error);
}

static void load_massif(struct diff_input *in, enum metric_kind kind,
			const struct filter_options *o)
{
	const struct massif_snapshot *s;
	struct mu_error err;

	input_file_read_massif(&in->source, &in->massif);
	s = kind == METRIC_PEAK ? massif_peak(&in->massif) :
	    kind == METRIC_LIVE && in->massif.count ?
				  &in->massif.snapshots[in->massif.count - 1] : NULL;
	if (!s || !s->node_count)
		die("%s: holds no figures of this moment", in->source.name);
	if (stack_import_massif(&in->import, &in->massif, o, &err) < 0)
		die("%s: %s", in->source.name, err.text);
	in->weight = xcalloc((size_t)in->import.profile.sites.count + 1, sizeof(*in->weight));
	stack_import_weigh_snapshot(&in->import, &in->massif, s, in->weight);
}

static void load_dhat(struct diff_input *in, enum metric_kind kind, const struct filter_options *o)
{
	struct mu_error err;

	input_file_read_dhat(&in->source, &in->dhat);
	if (!in->dhat.has_lifetimes && kind != METRIC_TOTAL)
		die("%s: holds no figures of this moment", in->source.name);
	if (stack_import_dhat(&in->import, &in->dhat, o, &err) < 0)
		die("%s: %s", in->source.name, err.text);
	in->weight = xcalloc((size_t)in->import.profile.sites.count + 1, sizeof(*in->weight));
	stack_import_weigh_points(&in->dhat, kind, in->weight);
}

static void load_pprof(struct diff_input *in, enum metric_kind kind,
		       const struct filter_options *o)
{
	struct mu_error err;

	input_file_read_pprof(&in->source, &in->pprof);
	if (!in->pprof.has_value[kind == METRIC_PEAK ? PPROF_PEAK_BYTES :
				 kind == METRIC_LIVE ? PPROF_END_BYTES : PPROF_TOTAL_BYTES])
		die("%s: holds no figures of this moment: try --flame=end or --flame=total",
		    in->source.name);
	if (stack_import_pprof(&in->import, &in->pprof, o, &err) < 0)
		die("%s: %s", in->source.name, err.text);
	in->weight = xcalloc((size_t)in->import.profile.sites.count + 1, sizeof(*in->weight));
	stack_import_weigh_samples(&in->pprof, kind, in->weight);
}

static struct diff_input *open_input(const char *file, enum metric_kind kind,
				     const struct settings *s)
{
	const struct filter_options o = { .alloc_fn = s->alloc_fn.item,
					  .alloc_fns = s->alloc_fn.count };
	struct diff_input *in = xcalloc(1, sizeof(*in));

	input_file_open(&in->source, file);
	input_file_check_output(in->source.fd, s->output, "picture");
	in->kind = input_file_kind(&in->source);
	if (in->kind == INPUT_RECORDING) {
		load_recording(in, kind, s);
		return in;
	}
	if (in->kind == INPUT_MASSIF)
		load_massif(in, kind, &o);
	else if (in->kind == INPUT_DHAT)
		load_dhat(in, kind, &o);
	else if (in->kind == INPUT_PPROF)
		load_pprof(in, kind, &o);
	else
		die("%s: this is %s: --diff compares recordings, massif.out files and profiles of "
		    "DHAT and pprof", in->source.name, file_type_name(in->kind));
	in->filter = stack_import_filter(&in->import, s->runtime_frames == RUNTIME_HIDE, &o);
	return in;
}

static void close_input(struct diff_input *in)
{
	if (in->kind == INPUT_RECORDING)
		recorded_process_close(&in->recorded);
	stack_import_free(&in->import);
	massif_free(&in->massif);
	dhat_free(&in->dhat);
	pprof_free(&in->pprof);
	input_file_close(&in->source);
	free(in->weight);
	free(in->errors);
	free(in->error);
	free(in);
}

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

int diff_picture_run(const struct settings *settings)
{
	const char *const file[SIDES] = { settings->old_input, settings->input };
	struct diff_picture p = { .settings = settings };
	struct compare_side side[SIDES];
	struct drawing drawing = { .count = 0 };
	bool is_cut = false;
	int result;

	for (int s = 0; s < SIDES; s++) {
		p.input[s] = open_input(file[s], metrics[settings->flame].kind, settings);
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
		close_input(p.input[s]);
	}
	free(p.error);
	return is_cut ? -1 : result;
}
