/* import_report.c -- Lists and trees of places of a massif.out and of a profile of DHAT.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/import_report.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "formats/file_type.h"
#include "formats/stack_import.h"
#include "memusageprint/job/massif_load.h"
#include "memusageprint/text/calltree.h"
#include "memusageprint/text/grep.h"
#include "memusageprint/text/plot.h"
#include "memusageprint/text/toplist.h"

struct import_report {
	const struct report_job *job;
	const char *name;
	struct stack_import stacks;
	const struct filter *shown;	/* with or without frames of run-times */
	struct weight *weight;
	bool has_blocks;
	const struct massif_file *massif;	/* the one or ... */
	const struct dhat *dhat;		/* ... the other */
};

/* ---- weights ------------------------------------------------------------------------------- */

static const struct massif_snapshot *find_snapshot(const struct massif_file *m,
						   enum metric_kind kind, int number)
{
	if (kind == METRIC_PEAK)
		return massif_peak(m);
	if (kind == METRIC_LIVE)
		return m->count ? &m->snapshots[m->count - 1] : NULL;
	for (size_t i = 0; kind == METRIC_SNAPSHOT && i < m->count; i++) {
		if (m->snapshots[i].number == (uint64_t)number)
			return &m->snapshots[i];
	}
	return NULL;
}

static int weigh_massif(struct import_report *r, enum metric_kind kind, int number)
{
	const struct massif_snapshot *s = find_snapshot(r->massif, kind, number);

	if (kind == METRIC_TOTAL)
		warn("%s: a massif.out does not tell what was allocated in all", r->name);
	else if (!s && kind == METRIC_SNAPSHOT)
		warn("%s: there is no snapshot %d", r->name, number);
	else if (!s)
		warn("%s: no snapshot has a tree", r->name);
	else if (s->node_count == 0)
		warn("%s: snapshot %llu has no tree (--detailed-freq=1 makes one for each)",
		     r->name, (unsigned long long)s->number);
	else
		stack_import_weigh_snapshot(&r->stacks, r->massif, s, r->weight);
	return kind != METRIC_TOTAL && s && s->node_count ? 0 : -1;
}

static int weigh_dhat(struct import_report *r, enum metric_kind kind)
{
	if (kind == METRIC_SNAPSHOT) {
		warn("%s: a profile of DHAT has no snapshots", r->name);
		return -1;
	}
	stack_import_weigh_points(r->dhat, kind, r->weight);
	return 0;
}

static int weigh_stacks(struct import_report *r, enum metric_kind kind, int snapshot)
{
	return r->massif ? weigh_massif(r, kind, snapshot) : weigh_dhat(r, kind);
}

/* ---- texts --------------------------------------------------------------------------------- */

static int print_list(FILE *out, struct import_report *r, enum metric_kind kind)
{
	const struct settings *settings = r->job->settings;
	const struct toplist list = { .filter = r->shown, .weight = r->weight, .kind = kind,
				      .count = settings->top,
				      .group = (enum top_kind)settings->group,
				      .shows_runtime = settings->runtime_frames == RUNTIME_SHOW,
				      .lacks_blocks = !r->has_blocks };

	if (weigh_stacks(r, kind, 0) < 0)
		return -1;
	putc('\n', out);
	if (grep_weights(out, &r->stacks.filter, r->weight, settings->grep))
		toplist_print(out, &list);
	return 0;
}

static int print_tree(FILE *out, struct import_report *r)
{
	const struct settings *settings = r->job->settings;
	const struct calltree tree = { .filter = r->shown, .weight = r->weight,
				       .kind = settings_metric(settings),
				       .threshold = settings->threshold, .depth = settings->depth,
				       .lacks_blocks = !r->has_blocks };

	if (weigh_stacks(r, tree.kind, settings->tree) < 0)
		return -1;
	putc('\n', out);
	if (grep_weights(out, &r->stacks.filter, r->weight, settings->grep))
		calltree_print(out, &tree);
	return 0;
}

static int print_plot(FILE *out, struct import_report *r)
{
	plot_massif_curve(out, r->massif, r->job->settings);
	if (!massif_peak(r->massif))
		return 0;
	if (weigh_stacks(r, METRIC_PEAK, 0) < 0)
		return -1;
	plot_places(out, r->shown, r->weight, 0, r->job->settings);
	return 0;
}

static int print_texts(struct import_report *r)
{
	const unsigned text = r->job->settings->text;
	FILE *out = report_job_begin(r->job);
	FILE *page = layout_open(out, settings_layout(r->job->settings));
	int result = 0;

	if (text & TEXT_PLOT)
		result |= print_plot(out, r);
	if (text & TEXT_TOP)
		result |= print_list(page, r, METRIC_PEAK);
	if (text & TEXT_TREE)
		result |= print_tree(page, r);
	if (text & TEXT_LEAKS)
		result |= print_list(page, r, METRIC_LIVE);
	fclose(page);
	return result;
}

/* ---- files --------------------------------------------------------------------------------- */

/* Returns 0, or -1 after a warning. HAS are the texts that the kind of file suits. */
static int refuse_other_texts(const struct report_job *job, unsigned has, const char *names)
{
	if ((job->settings->text & ~has) == 0)
		return 0;
	warn("%s: this is %s: the reports of places for it are %s", job->in->name,
	     file_type_name(job->in->kind), names);
	return -1;
}

/* Makes the filters and prints; RESULT is that of the import. */
static int report_stacks(struct import_report *r, const struct filter_options *o, int result,
			 const struct mu_error *err)
{
	if (result < 0) {
		warn("%s: %s", r->name, err->text);
		return -1;
	}
	r->shown = stack_import_filter(&r->stacks,
				       r->job->settings->runtime_frames != RUNTIME_SHOW, o);
	r->weight = xcalloc((size_t)r->stacks.profile.sites.count + 1, sizeof(*r->weight));
	return print_texts(r);
}

int import_report_massif(const struct report_job *job)
{
	const struct filter_options o = settings_filter(job->settings);
	struct massif_file m;
	struct import_report r = { .job = job, .name = job->in->name, .massif = &m };
	struct mu_error err;
	int result;

	if (refuse_other_texts(job, TEXT_PLOT | TEXT_TOP | TEXT_TREE | TEXT_LEAKS,
			       "--plot, --top, --tree and --leaks") < 0)
		return -1;
	result = massif_load(&m, job->in);
	if (m.count > 0 &&
	    report_stacks(&r, &o, stack_import_massif(&r.stacks, &m, &o, &err), &err) < 0)
		result = -1;
	stack_import_free(&r.stacks);
	free(r.weight);
	massif_free(&m);
	return result;
}

int import_report_dhat(const struct report_job *job)
{
	const struct filter_options o = settings_filter(job->settings);
	struct dhat d;
	struct import_report r = { .job = job, .name = job->in->name, .dhat = &d,
				   .has_blocks = true };
	struct mu_error err;
	int result = -1;

	if (refuse_other_texts(job, TEXT_TOP | TEXT_TREE | TEXT_LEAKS,
			       "--top, --tree and --leaks") < 0)
		return -1;
	if (dhat_read(&d, &job->in->text, &err) < 0)
		warn("%s: %s", r.name, err.text);
	else if (!d.has_lifetimes)
		warn("%s: this profile does not tell what was live at the peak or at the end: "
		     "--dhat prints it", r.name);
	else
		result = report_stacks(&r, &o, stack_import_dhat(&r.stacks, &d, &o, &err), &err);
	stack_import_free(&r.stacks);
	free(r.weight);
	dhat_free(&d);
	return result;
}
