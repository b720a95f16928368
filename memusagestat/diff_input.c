/* diff_input.c -- One of the two files of --diff: its stacks and their weights.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/diff_input.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/xmalloc.h"

/* ---- files --------------------------------------------------------------------------------- */

static void load_recording(struct diff_input *in, const struct settings *s)
{
	struct recorded_process *r = &in->recorded;

	recorded_process_open(r, in->source.path, s);
	in->source.is_cut = r->segment.missing > 0;
	if (s->runtime_frames == RUNTIME_HIDE)
		recorded_process_hide_runtime(r, s);
	in->filter = r->export.filter;
	in->sites = r->profile.sites.count;
	in->has_blocks = true;
	in->distance = sampled_mean_distance(&r->image);
	if (in->distance <= 0)
		return;
	in->errors = xcheck(site_errors_load(&r->profile.sites, &r->image));
	in->error = xcalloc((size_t)in->sites + 1, sizeof(*in->error));
}

/* Imports the stacks of a file that is no recording. */
static int import_stacks(struct diff_input *in, const struct filter_options *o,
			 struct mu_error *err)
{
	switch (in->kind) {
	case INPUT_MASSIF:
		input_file_read_massif(&in->source, &in->massif);
		return stack_import_massif(&in->import, &in->massif, o, err);
	case INPUT_DHAT:
		input_file_read_dhat(&in->source, &in->dhat);
		in->has_blocks = true;
		return stack_import_dhat(&in->import, &in->dhat, o, err);
	case INPUT_PPROF:
		input_file_read_pprof(&in->source, &in->pprof);
		return stack_import_pprof(&in->import, &in->pprof, o, err);
	default:
		die("%s: this is %s: --diff compares recordings, massif.out files and profiles of "
		    "DHAT and pprof", in->source.name, file_type_name(in->kind));
	}
}

struct diff_input *diff_input_open(const char *file, const char *output, const char *what,
				   const struct settings *s)
{
	const struct filter_options o = { .alloc_fn = s->alloc_fn.item,
					  .alloc_fns = s->alloc_fn.count };
	struct diff_input *in = xcalloc(1, sizeof(*in));
	struct mu_error err;

	input_file_open(&in->source, file);
	input_file_check_output(in->source.fd, output, what);
	in->kind = input_file_kind(&in->source);
	if (in->kind == INPUT_RECORDING) {
		load_recording(in, s);
	} else {
		if (import_stacks(in, &o, &err) < 0)
			die("%s: %s", in->source.name, err.text);
		in->filter = stack_import_filter(&in->import, s->runtime_frames == RUNTIME_HIDE,
						 &o);
		in->sites = in->import.profile.sites.count;
	}
	in->weight = xcalloc((size_t)in->sites + 1, sizeof(*in->weight));
	return in;
}

/* ---- weights ------------------------------------------------------------------------------- */

static const struct massif_snapshot *snapshot_of(const struct massif_file *m,
						 enum metric_kind kind)
{
	return kind == METRIC_PEAK || kind == METRIC_LIVE ?
		       massif_moment(m, kind == METRIC_LIVE) : NULL;
}

bool diff_input_knows(const struct diff_input *in, enum metric_kind kind)
{
	switch (in->kind) {
	case INPUT_MASSIF:
		return snapshot_of(&in->massif, kind) != NULL;
	case INPUT_DHAT:
		return in->dhat.has_lifetimes || kind == METRIC_TOTAL;
	case INPUT_PPROF:
		return in->pprof.has_value[kind == METRIC_PEAK ? PPROF_PEAK_BYTES :
					   kind == METRIC_LIVE ? PPROF_END_BYTES :
								 PPROF_TOTAL_BYTES];
	default:
		return true;
	}
}

static void weigh_recording(struct diff_input *in, enum metric_kind kind)
{
	const struct recorded_process *r = &in->recorded;

	if (sites_weigh(&r->profile.sites, &r->image, kind, 0, in->weight) < 0)
		die("%s: holds no such figures", in->source.name);
	if (in->errors)
		site_errors_weigh(&r->profile.sites, in->errors, kind, in->weight, in->error);
}

void diff_input_weigh(struct diff_input *in, enum metric_kind kind)
{
	memset(in->weight, 0, in->sites * sizeof(*in->weight));
	if (in->kind == INPUT_RECORDING)
		weigh_recording(in, kind);
	else if (in->kind == INPUT_MASSIF)
		stack_import_weigh_snapshot(&in->import, &in->massif,
					    snapshot_of(&in->massif, kind), in->weight);
	else if (in->kind == INPUT_DHAT)
		stack_import_weigh_points(&in->dhat, kind, in->weight);
	else
		stack_import_weigh_samples(&in->pprof, kind, in->weight);
}

void diff_input_close(struct diff_input *in)
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
