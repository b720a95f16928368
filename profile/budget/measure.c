/* measure.c -- Measures what a condition is about in an image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/measure.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/base/number.h"
#include "profile/budget/places.h"
#include "profile/budget/sampled_peak.h"
#include "profile/read/counters.h"
#include "profile/read/leak_checks.h"
#include "profile/read/result.h"
#include "profile/read/timeline.h"

/* The kernel adds up resident pages in batches of 64 for each thread (TASK_RSS_EVENTS_THRESH in
 * mm/memory.c up to 6.1, percpu counters later): so far the same run may differ from itself. */
enum { RSS_ERROR = 64 * 4096 };

bool measure_needs_names(const struct condition *c)
{
	return c->scope != CONDITION_ALL;
}

/* ---- sites -------------------------------------------------------------------------------- */

static enum metric_kind metric_kind_of(enum condition_metric metric)
{
	switch (metric) {
	case CONDITION_HEAP_PEAK: case CONDITION_BLOCKS_PEAK:
		return METRIC_PEAK;
	case CONDITION_HEAP_END: case CONDITION_BLOCKS_END:
		return METRIC_LIVE;
	case CONDITION_TEMPORARY:
		return METRIC_TEMPORARY;
	default:
		return METRIC_TOTAL;
	}
}

/* No pointer leads there, or only one in a block that is lost itself. */
static bool is_lost(const struct mu_loss *loss)
{
	return loss->kind == MU_LOSS_DEFINITE || loss->kind == MU_LOSS_INDIRECT;
}

static const struct leak_check *find_last_check(const struct leak_checks *all)
{
	for (size_t i = all->count; i-- > 0;) {
		if (all->check[i].head.flags & MU_LEAK_CHECK_AT_END)
			return &all->check[i];
	}
	return NULL;
}

static int weigh_losses(const struct measure *m, struct weight *weight, struct mu_error *err)
{
	const struct leak_check *last;
	struct leak_checks all;
	int result = 0;

	for (uint32_t i = 0; i < m->sites->count; i++)
		weight[i] = (struct weight){ .is_there = sites_is_counted(&m->sites->site[i]) };
	leak_checks_read(&all, m->image);
	last = find_last_check(&all);
	if (!last)
		result = mu_error_set(err, MU_ERROR_FORMAT, 0,
				      m->flags & MU_CFG_LEAKS ?
					      "no leak check was made when the process ended" :
					      "the run had no leak check: memusage "
					      "--leak-check=full makes it");
	for (uint64_t i = 0; last && i < last->head.count; i++) {
		const struct mu_loss *loss = &last->loss[i];

		if (loss->site < m->sites->count && is_lost(loss))
			weight[loss->site].bytes = (int64_t)((uint64_t)weight[loss->site].bytes +
							     loss->bytes);
	}
	leak_checks_free(&all);
	return result;
}

/* Also leaves out what --ignore-fn names. */
static int leave_out_others(const struct measure *m, const struct condition *c,
			    struct weight *weight, struct mu_error *err)
{
	uint8_t *selected;
	int found;

	if (!m->complete)
		return 0;
	selected = xcalloc((size_t)m->sites->count + 1, 1);
	found = places_select(c, m->complete, m->shown, selected);
	for (uint32_t i = 0; i < m->sites->count && found >= 0; i++) {
		if (!selected[i] || filter_stack(m->shown, m->sites->site[i].stack).is_ignored)
			weight[i] = (struct weight){ .is_there = false };
	}
	free(selected);
	return found < 0 ? mu_error_memory(err) : 0;
}

int measure_weigh(const struct measure *m, const struct condition *c, struct weight *weight,
		  struct sampled_error *error, struct mu_error *err)
{
	const enum metric_kind kind = metric_kind_of(c->metric);
	const bool is_count = !condition_counts_bytes(c->metric);

	if (c->metric == CONDITION_LEAKS) {
		if (weigh_losses(m, weight, err) < 0)
			return -1;
	} else {
		sites_weigh(m->sites, m->image, kind, 0, weight);
		if (m->errors)
			site_errors_weigh(m->sites, m->errors, kind, weight, error);
	}
	for (uint32_t i = 0; is_count && i < m->sites->count; i++)
		sampled_error_swap(&weight[i], m->errors ? &error[i] : NULL);
	return leave_out_others(m, c, weight, err);
}

/* ---- processes ---------------------------------------------------------------------------- */

static bool is_forked(const struct measure *m)
{
	return m->image->head.process.fork_mono_ns != 0;
}

static struct figure exact_figure(double value, enum figure_class class)
{
	return (struct figure){ .value = value, .low = value, .high = value, .class = class };
}

static enum figure_class class_of_exact(const struct measure *m)
{
	return m->image->head.heap.threads_max > 1 ? FIGURE_BY_THREADS : FIGURE_EXACT;
}

/* Bounds of the sum, by the errors of its parts. */
static void sum_estimates(const struct measure *m, const struct condition *c,
			  const struct weight *weight, struct figure *f)
{
	struct sampled_error sum = { .samples = 0 };
	struct sampled_interval i;
	const bool is_heap = c->metric == CONDITION_HEAP_PEAK || c->metric == CONDITION_HEAP_END;
	double samples = 0;

	for (uint32_t k = 0; k < m->sites->count; k++) {
		if (!weight[k].is_there || !weight[k].error)
			continue;
		sampled_error_add(&sum, weight[k].error);
		samples += m->errors[k].total.samples;
	}
	if (!sum.is_sampled)
		return;
	if (is_heap)
		sum.most_bytes = sampled_most_live(m->image);
	f->value = sampled_bytes_within(&sum, f->value);
	i = sampled_bytes_interval(&sum, f->value, m->distance);
	f->low = metric_kind_of(c->metric) == METRIC_PEAK ?
			 sampled_peak_low(&sum, samples, f->value, i.low) : i.low;
	f->high = i.high;
	f->class = FIGURE_ESTIMATED;
}

static void sum_sites(const struct measure *m, const struct condition *c,
		      const struct weight *weight, struct figure *f)
{
	double sum = 0;

	for (uint32_t i = 0; i < m->sites->count; i++) {
		if (weight[i].bytes > 0)
			sum += (double)weight[i].bytes;
	}
	*f = exact_figure(sum, class_of_exact(m));
	if (m->errors)
		sum_estimates(m, c, weight, f);
}

/* Tells whether --ignore-fn leaves out a site, which the counters have. */
static bool is_filtered(const struct measure *m)
{
	for (uint32_t i = 0; m->complete && i < m->sites->count; i++) {
		if (filter_stack(m->shown, m->sites->site[i].stack).is_ignored)
			return true;
	}
	return false;
}

/* Takes the summary's "heap total": the sites have a realloc with its whole new size, and are
 * estimates with --sample. */
static void take_heap_total(const struct measure *m, const struct condition *c, struct figure *f)
{
	struct counters counters = { .calls = { 0 } };

	if (c->metric != CONDITION_HEAP_TOTAL || c->scope != CONDITION_ALL || is_filtered(m))
		return;
	counters_add(&counters, m->image);
	*f = exact_figure((double)counters_heap_total(&counters), class_of_exact(m));
}

/* The heap of the process has what no site has: blocks that there was no memory to record. Blocks
 * that a forked child got from its parent are not its own. */
static void take_heap_figure(const struct measure *m, const struct condition *c,
			     struct figure *f)
{
	struct result *r;
	struct image im = *m->image;

	if (f->class == FIGURE_ESTIMATED || c->scope != CONDITION_ALL)
		return;
	r = xmalloc(sizeof(*r));
	result_take_figures(r, &im);
	if (c->metric == CONDITION_HEAP_PEAK)
		*f = exact_figure((double)r->own_peak, f->class);
	else if (c->metric == CONDITION_HEAP_END)
		*f = exact_figure((double)r->own_now, f->class);
	free(r);
}

/* With samples its depth is not known at most events: 0 would pass any limit. */
static int measure_stack(const struct measure *m, struct figure *f, struct mu_error *err)
{
	struct image im = *m->image;
	struct result *r;

	if (m->distance > 0)
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "the run was recorded with --sample, which does not measure "
				    "the stack");
	r = xmalloc(sizeof(*r));
	result_take_figures(r, &im);
	*f = exact_figure((double)r->stack_peak, FIGURE_BY_MACHINE);
	free(r);
	return 0;
}

static uint64_t most_mapped(const struct timeline *t)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < t->count; i++)
		most = t->sample[i].mapped > most ? t->sample[i].mapped : most;
	return most;
}

/* Samples miss the peak of a short program in one run and not in the next; the kernel's mark does
 * not, but has the recorder's memory in it. */
static uint64_t most_resident(const struct timeline *t, const struct memory_split *split)
{
	const uint64_t most = t->rss_peak > split->resident ? t->rss_peak : split->resident;

	return most - (split->recorder < most ? split->recorder : most);
}

static int measure_timeline(const struct measure *m, const struct condition *c, struct figure *f,
			    struct mu_error *err)
{
	struct memory_split split;
	struct timeline t;
	uint64_t most = 0;
	bool has_samples;

	if (timeline_load(&t, m->image, err) < 0)
		return -1;
	timeline_split(&t, timeline_highest(&t), &split);
	if (c->metric == CONDITION_RSS_PEAK)
		most = most_resident(&t, &split);
	else
		most = most_mapped(&t);
	*f = exact_figure((double)most, FIGURE_BY_MACHINE);
	if (c->metric == CONDITION_RSS_PEAK) {
		f->low = most > RSS_ERROR ? (double)most - RSS_ERROR : 0;
		f->high = (double)most + RSS_ERROR;
	}
	has_samples = t.count > 0;
	timeline_free(&t);
	return has_samples ? 0 : mu_error_set(err, MU_ERROR_FORMAT, 0,
					      "resident memory was not sampled");
}

static int measure_process(const struct measure *m, const struct condition *c, struct figure *f,
			   struct mu_error *err)
{
	if (c->metric == CONDITION_STACK_PEAK)
		return measure_stack(m, f, err);
	if (c->metric == CONDITION_MMAP_PEAK && !(m->flags & MU_CFG_MMAP))
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "calls of mmap were not recorded: memusage --mmap does");
	return measure_timeline(m, c, f, err);
}

int measure_figure(const struct measure *m, const struct condition *c,
		   const struct weight *weight, struct figure *figure, struct mu_error *err)
{
	if (!condition_has_places(c->metric))
		return measure_process(m, c, figure, err);
	/* Its sites have the history of its parent, too. */
	if (condition_is_cumulative(c->metric) && is_forked(m))
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "what a forked process allocated is not told from what its "
				    "parent did");
	sum_sites(m, c, weight, figure);
	take_heap_figure(m, c, figure);
	take_heap_total(m, c, figure);
	return 0;
}

bool measure_finds_place(const struct measure *m, const struct condition *c)
{
	uint8_t *selected;
	int found;

	if (!m->complete || !measure_needs_names(c))
		return true;
	selected = xcalloc((size_t)m->sites->count + 1, 1);
	found = places_select(c, m->complete, m->shown, selected);
	free(selected);
	return found != 0;
}
