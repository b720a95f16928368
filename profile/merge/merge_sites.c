/* merge_sites.c -- Adds the sites of one process to those of a merge.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/base/number.h"
#include "profile/merge/merge_moment.h"
#include "profile/read/batch.h"
#include "profile/read/sites.h"

/* The figures of one process by its own sites. */
struct merge_loaded {
	const struct image *im;
	bool is_own;		/* what it has from its parent is counted apart */
	struct sites own;	/* the process's own */
	struct sites all;	/* with what its parent had; only if that is counted apart */
	struct weight *at;	/* at a moment */
	uint32_t (*size_class)[SITES_CLASSES];
	struct site_errors *error;	/* NULL: all is exact */
	/* The course, in runs of moments at which nothing changed. */
	struct course_run {
		uint32_t first, end;	/* moments of the merge */
		uint32_t values;	/* where the run's values end */
	} run[MERGE_MOMENTS];
	struct course_value {
		uint32_t site;
		int64_t bytes, blocks;
	} *value;
	uint32_t runs, values, value_room;
};

static int64_t positive(int64_t value)
{
	return value > 0 ? value : 0;
}

/* A block of its parent that a forked child has freed is still there, in the parent. */
static void take_snapshot(struct merge_loaded *l, uint64_t snapshot)
{
	const struct sites *all = l->is_own ? &l->all : &l->own;

	sites_weigh(all, l->im, METRIC_SNAPSHOT, snapshot, l->at);
	for (uint32_t i = 0; l->is_own && i < all->count; i++) {
		const struct site *whole = &all->site[i], *own = &l->own.site[i];
		struct weight *at = &l->at[i];

		at->bytes = wrapping_difference(
			at->bytes, wrapping_difference(whole->live_bytes, own->live_bytes));
		at->blocks = wrapping_difference(
			at->blocks, wrapping_difference(whole->live_blocks, own->live_blocks));
	}
}

/* Weighs all sites at a snapshot, or at one of the moments of enum merge_moment_kind. */
static void weigh_at(struct merge_loaded *l, int32_t moment)
{
	memset(l->at, 0, l->own.count * sizeof(*l->at));
	if (moment == MERGE_PEAK)
		sites_weigh(&l->own, l->im, METRIC_PEAK, 0, l->at);
	else if (moment == MERGE_END)
		sites_weigh(&l->own, l->im, METRIC_LIVE, 0, l->at);
	else if (moment >= 0)
		take_snapshot(l, (uint64_t)moment);
	for (uint32_t i = 0; i < l->own.count; i++) {
		l->at[i].bytes = positive(l->at[i].bytes);
		l->at[i].blocks = positive(l->at[i].blocks);
		if (!sites_is_counted(&l->own.site[i]))
			l->at[i] = (struct weight){ .is_there = false };
	}
}

static void load_sites(struct merge_loaded *l, const struct image *im, bool is_own)
{
	*l = (struct merge_loaded){ .im = im, .is_own = is_own };
	if (sites_load_own(&l->own, im, UINT32_MAX, NULL) < 0 ||
	    (is_own && sites_load(&l->all, im, UINT32_MAX, NULL) < 0))
		xno_memory();
	l->at = xcalloc((size_t)l->own.count + 1, sizeof(*l->at));
}

/* Makes sums of one moment of what the recording has: lifetimes, nothing below zero. */
static void finish_sites(struct merge_loaded *l, bool is_exec)
{
	sites_lifetimes(&l->own, l->im);
	for (uint32_t i = 0; i < l->own.count; i++) {
		struct site *site = &l->own.site[i];

		site->peak_bytes = positive(site->peak_bytes);
		site->live_bytes = is_exec ? 0 : positive(site->live_bytes);
		site->live_blocks = is_exec ? 0 : positive(site->live_blocks);
	}
}

static void free_loaded(struct merge_loaded *l)
{
	sites_free(&l->own);
	sites_free(&l->all);
	free(l->at);
	free(l->size_class);
	free(l->error);
	free(l->value);
}

/* ---- sums ---------------------------------------------------------------------------------- */

static void add_site(struct merge_site *to, const struct merge_loaded *l, uint32_t number)
{
	const struct site *from = &l->own.site[number];
	const struct weight *at_peak = &l->at[number];

	to->live_bytes = wrapping_sum(to->live_bytes, from->live_bytes);
	to->live_blocks = wrapping_sum(to->live_blocks, from->live_blocks);
	to->peak_bytes = wrapping_sum(to->peak_bytes, at_peak->bytes);
	to->peak_blocks = wrapping_sum(to->peak_blocks, at_peak->blocks);
	to->max_bytes = wrapping_sum(to->max_bytes, from->max_bytes);
	to->life = wrapping_sum(to->life, from->life);
	to->total_bytes += from->total_bytes;
	to->total_blocks += from->total_blocks;
	to->temporary += from->temporary;
	for (int k = 0; k < SITES_CLASSES; k++)
		to->size_class[k] += l->size_class[number][k];
}

static uint32_t count_values(const struct merge_loaded *l)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < l->own.count; i++)
		count += sites_is_counted(&l->own.site[i]);
	return count;
}

/* Not max_bytes: that is far too much if other threads free the blocks. */
static int64_t most_at_site(const struct site *site, const struct weight *at_peak)
{
	const int64_t most = site->peak_bytes > at_peak->bytes ? site->peak_bytes : at_peak->bytes;

	return most > site->live_bytes ? most : site->live_bytes;
}

static void keep_values(uint32_t process, const struct merge_loaded *l, const uint32_t *number,
			struct merge_spool *spool)
{
	merge_spool_begin(spool, process, count_values(l));
	for (uint32_t i = 0; i < l->own.count; i++) {
		const struct site *site = &l->own.site[i];
		const struct merge_value v = {
			.site = number[i],
			.figure = { most_at_site(site, &l->at[i]), site->live_bytes,
				    (int64_t)site->total_bytes, (int64_t)site->temporary } };

		if (sites_is_counted(site))
			merge_spool_put(spool, &v);
	}
}

/* ---- errors of estimates ------------------------------------------------------------------- */

void merge_sites_make_errors(struct site_errors **error, uint32_t *room, uint32_t sites)
{
	const uint32_t before = *room;

	array_reserve(error, room, sites, sizeof(**error));
	memset(*error + before, 0, (*room - before) * sizeof(**error));
}

/* Without sampling all is exact. At a snapshot the error is a share of that of all blocks. */
static struct site_errors errors_of_site(const struct site *site, const struct weight *at_peak)
{
	struct site_errors e = { .live.exact_bytes = (double)site->live_bytes,
				 .live.exact_blocks = (double)site->live_blocks,
				 .peak.exact_bytes = (double)at_peak->bytes,
				 .peak.exact_blocks = (double)at_peak->blocks,
				 .total.exact_bytes = (double)site->total_bytes,
				 .total.exact_blocks = (double)site->total_blocks };

	return e;
}

/* A block of its parent that a forked child has freed is still there, with its error. A block that
 * is gone has none. */
static void drop_error_of_gone(struct sampled_error *e, int64_t bytes)
{
	const bool is_sampled = e->is_sampled;

	if (bytes <= 0)
		*e = (struct sampled_error){ .is_sampled = is_sampled };
	e->samples = fmax(e->samples, 0);
	e->variance = fmax(e->variance, 0);
	e->block_variance = fmax(e->block_variance, 0);
}

static void load_errors(struct merge_loaded *l, int32_t moment)
{
	struct site_errors *of = site_errors_load_own(&l->own, l->im);
	struct sampled_error *now;

	if (!of)
		return;
	now = xcalloc((size_t)l->own.count + 1, sizeof(*now));
	/* The moment of the sum is another metric of the process. */
	site_errors_weigh(&l->own, of,
			  moment == MERGE_PEAK ? METRIC_PEAK :
			  moment == MERGE_END  ? METRIC_LIVE :
						 METRIC_SNAPSHOT,
			  l->at, now);
	for (uint32_t i = 0; i < l->own.count; i++) {
		of[i].peak = now[i];
		drop_error_of_gone(&of[i].live, l->own.site[i].live_bytes);
		drop_error_of_gone(&of[i].peak, l->at[i].bytes);
	}
	free(now);
	l->error = of;
}

static void add_errors(const struct merge_loaded *l, const uint32_t *number,
		       struct site_errors *error)
{
	for (uint32_t i = 0; i < l->own.count; i++) {
		const struct site_errors e = l->error ? l->error[i] :
					     errors_of_site(&l->own.site[i], &l->at[i]);
		struct site_errors *to = &error[number[i]];

		sampled_error_add(&to->live, &e.live);
		sampled_error_add(&to->peak, &e.peak);
		sampled_error_add(&to->total, &e.total);
	}
}

/* ---- the course ---------------------------------------------------------------------------- */

static void append_values(struct merge_loaded *l)
{
	for (uint32_t i = 0; i < l->own.count; i++) {
		const struct weight *w = &l->at[i];

		if (w->bytes == 0 && w->blocks == 0)
			continue;
		array_reserve(&l->value, &l->value_room, (size_t)l->values + 1, sizeof(*l->value));
		l->value[l->values++] = (struct course_value){ i, w->bytes, w->blocks };
	}
}

/* Most processes have few of the moments, and the same one for long. */
static void load_course(struct merge_loaded *l, const struct merge_course *course, uint32_t process)
{
	int32_t weighed = MERGE_GONE;

	for (uint32_t k = 0; k < MERGE_MOMENTS; k++) {
		const int32_t moment = merge_course_at(course, process, k);

		if (moment == MERGE_GONE || moment == MERGE_EMPTY)
			continue;
		if (moment == weighed && l->run[l->runs - 1].end == k) {
			l->run[l->runs - 1].end++;
			continue;
		}
		weigh_at(l, moment);
		append_values(l);
		l->run[l->runs++] = (struct course_run){ k, k + 1, l->values };
		weighed = moment;
	}
}

static void add_course(const struct merge_loaded *l, const uint32_t *number, uint32_t count,
		       struct merge_course *course)
{
	uint32_t next = 0;

	for (uint32_t r = 0; r < l->runs; r++) {
		for (; next < l->run[r].values; next++) {
			const struct course_value *v = &l->value[next];

			if (v->site < count)
				merge_course_add(course, number[v->site], l->run[r].first,
						 l->run[r].end, v->bytes, v->blocks);
		}
	}
}

/* ---- one process --------------------------------------------------------------------------- */

static void load_size_classes(struct merge_loaded *l)
{
	const uint64_t cells = image_count(l->im, MU_SEC_CELLS);
	struct mu_cell cell;

	l->size_class = xcalloc((size_t)l->own.count + 1, sizeof(*l->size_class));
	for (uint64_t i = l->im->head.fork_cells; i < cells && batch_cell(l->im, i, &cell); i++) {
		if (cell.site >= l->own.count || cell.flags & (MU_CELL_MASSIF | MU_CELL_ERROR))
			continue;
		for (int k = 0; k < SITES_CLASSES; k++)
			l->size_class[cell.site][k] += cell.size_class[k];
	}
}

void merge_sites_load(struct merge_sites *s, const struct image *im,
		      const struct merge_course *course, bool is_sampled)
{
	struct merge_loaded *l = s->loaded = xmalloc(sizeof(*l));

	load_sites(l, im, s->is_own);
	load_course(l, course, s->process);
	weigh_at(l, s->moment);
	finish_sites(l, s->is_exec);
	load_size_classes(l);
	if (is_sampled)
		load_errors(l, s->moment);
}

void merge_sites_add(struct merge_sites *s, const uint32_t *number, uint32_t count,
		     struct merge_places *p, struct site_errors *error,
		     struct merge_course *course, struct merge_spool *spool)
{
	const struct merge_loaded *l = s->loaded;

	add_course(l, number, count, course);
	s->at_peak = s->live = 0;
	for (uint32_t i = 0; i < l->own.count && i < count; i++) {
		add_site(&p->site[number[i]], l, i);
		s->at_peak = wrapping_sum(s->at_peak, l->at[i].bytes);
		if (sites_is_counted(&l->own.site[i]))
			s->live = wrapping_sum(s->live, l->own.site[i].live_bytes);
	}
	if (error)
		add_errors(l, number, error);
	keep_values(s->process, l, number, spool);
}

void merge_sites_free(struct merge_sites *s)
{
	if (s->loaded)
		free_loaded(s->loaded);
	free(s->loaded);
	s->loaded = NULL;
}

/* ---- what a forked child has ------------------------------------------------------------- */

struct merge_own {
	struct merge_loaded loaded;
};

struct merge_own *merge_own_open(const struct image *im)
{
	struct merge_own *own = xcalloc(1, sizeof(*own));

	load_sites(&own->loaded, im, true);
	return own;
}

int64_t merge_own_heap(struct merge_own *own, int32_t moment)
{
	int64_t sum = 0;

	weigh_at(&own->loaded, moment);
	for (uint32_t i = 0; i < own->loaded.own.count; i++)
		sum = wrapping_sum(sum, own->loaded.at[i].bytes);
	return sum;
}

void merge_own_close(struct merge_own *own)
{
	free_loaded(&own->loaded);
	free(own);
}
