/* page_merge.c -- The member "merge" of a page: the processes of a merge, and how they differ.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_merge.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "formats/page/page_holders.h"
#include "formats/page/page_processes.h"
#include "profile/base/number.h"

enum {
	GROUPS = 64,		/* of places of a grouping, whose spreads are written */
	NAMED = 4,		/* outliers of a place that are named, as in the texts */
	PARTS = 60,		/* points of a curve */
	NODES_PER_ROW = 16,	/* 1,000 processes are listed on a page of 16,000 nodes, ... */
	NODES_PER_CURVE = 80	/* ... and 200 of them have a curve */
};
#define NOTHING UINT32_MAX	/* here, because gcc 13 gives all constants of one enum one type */

static const enum merge_figure figures[PAGE_MERGE_FIGURES] = {
	MERGE_AT_PEAK, MERGE_AT_END, MERGE_OF_ALL
};
static const char *const figure_names[PAGE_MERGE_FIGURES] = { "peak", "end", "total" };

/* ---- places -------------------------------------------------------------------------------- */

/* The sums of the sites of a group of places. */
struct group {
	uint32_t key;
	double figure[PAGE_MERGE_FIGURES];
	double share;	/* the largest share of a figure */
};

static int compare_shares(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->share < y->share || x->share > y->share)
		return x->share < y->share ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

static void add_site_figures(struct group *g, const struct site *site)
{
	g->figure[0] += (double)site->peak_bytes;
	g->figure[1] += (double)site->live_bytes;
	g->figure[2] += (double)site->total_bytes;
}

/* Sorts the groups by what they have at the most, as a part of all. */
static void sort_groups(struct group *g, uint32_t count)
{
	double all[PAGE_MERGE_FIGURES] = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		for (int f = 0; f < PAGE_MERGE_FIGURES; f++)
			all[f] += g[i].figure[f];
	}
	for (uint32_t i = 0; i < count; i++) {
		for (int f = 0; f < PAGE_MERGE_FIGURES; f++) {
			const double share = all[f] > 0 ? g[i].figure[f] / all[f] : 0;

			g[i].share = share > g[i].share ? share : g[i].share;
		}
	}
	qsort(g, count, sizeof(*g), compare_shares);
}

/* Numbers the groups that have most; returns one number by key, + 1. KEY_OF_SITE: NOTHING if the
 * page does not show it. */
static uint32_t *choose_groups(struct page_merge_spreads *s, const struct sites *sites,
			       const uint32_t *key_of_site, uint32_t keys)
{
	struct group *g = xcalloc((size_t)keys + 1, sizeof(*g));
	uint32_t *group_of_key = xcalloc((size_t)keys + 1, sizeof(*group_of_key));

	for (uint32_t k = 0; k < keys; k++)
		g[k].key = k;
	for (uint32_t i = 0; i < sites->count; i++) {
		if (key_of_site[i] != NOTHING)
			add_site_figures(&g[key_of_site[i]], &sites->site[i]);
	}
	sort_groups(g, keys);
	while (s->groups < GROUPS && s->groups < keys && g[s->groups].share > 0) {
		group_of_key[g[s->groups].key] = s->groups + 1;
		s->groups++;
	}
	free(g);
	return group_of_key;
}

/* GROUP: by site of the merge. */
static int compare_processes(struct page_merge_spreads *s, struct merge *m, const uint32_t *group,
			     struct mu_error *err)
{
	int result = 0;

	for (int f = 0; f < PAGE_MERGE_FIGURES && result == 0; f++) {
		s->spread[f] = xcalloc((size_t)s->groups + 1, sizeof(*s->spread[f]));
		result = merge_spreads(m, figures[f], group, s->spread[f], s->groups, err);
	}
	return result;
}

/* The groups of a grouping. */
struct grouped {
	const struct page_stacks *stacks;
	const struct sites *sites;
	const uint32_t *holder;		/* place of each node of the tree */
	enum page_grouping grouping;
};

static int init_grouping(struct page_merge_spreads *s, const struct grouped *of, struct merge *m,
			 struct mu_error *err)
{
	const struct page_tree *t = &of->stacks->tree;
	const uint32_t sites = of->sites->count;
	uint32_t *site = xcalloc((size_t)sites + m->places.sites + 1, sizeof(*site)), *group;
	struct triples keys = { .count = 0 };
	int result;

	for (uint32_t i = 0; i < sites; i++) {
		const bool is_shown = of->stacks->standing[i] == PAGE_SHOWN;
		const uint32_t place = is_shown ? of->holder[of->stacks->node[i]] : 0;

		site[i] = place ? page_grouping_key(&keys, t, of->grouping, place) : NOTHING;
	}
	group = choose_groups(s, of->sites, site, keys.count);
	for (uint32_t i = 0; i < sites || i < m->places.sites; i++)
		site[i] = i < sites && site[i] != NOTHING ? group[site[i]] - 1 : NOTHING;
	s->group_of_place = xcalloc((size_t)t->place_count + 1, sizeof(*s->group_of_place));
	for (uint32_t i = 1, known = keys.count; i < t->place_count; i++) {
		const uint32_t key = page_grouping_key(&keys, t, of->grouping, i);

		s->group_of_place[i] = key < known ? group[key] : 0;
	}
	result = compare_processes(s, m, site, err);
	triples_free(&keys);
	free(group);
	free(site);
	return result;
}

int page_merge_init(struct page_merge *p, struct merge *m, const struct sites *sites,
		    const struct page_stacks *stacks, struct mu_error *err)
{
	const struct page_tree *t = &stacks->tree;
	const struct page_cut whole = { .node = t->node, .count = t->node_count };
	uint32_t *holder = page_holders_places(t, &whole);
	int result = 0;

	merge_overview_init(&p->overview, m);
	for (int g = 0; g < PAGE_GROUPINGS && result == 0; g++) {
		const struct grouped of = { .stacks = stacks, .sites = sites, .holder = holder,
					    .grouping = (enum page_grouping)g };

		result = init_grouping(&p->by[g], &of, m, err);
	}
	free(holder);
	return result;
}

void page_merge_free(struct page_merge *p)
{
	for (int g = 0; g < PAGE_GROUPINGS; g++) {
		free(p->by[g].group_of_place);
		for (int f = 0; f < PAGE_MERGE_FIGURES; f++)
			free(p->by[g].spread[f]);
	}
	merge_overview_free(&p->overview);
	*p = (struct page_merge){ .merge = NULL };
}

/* ---- spreads ------------------------------------------------------------------------------- */

static uint32_t count_named(const struct merge_spread *s)
{
	return s->outliers < NAMED ? s->outliers : NAMED;
}

/* WITH, LEAST, MEDIAN, MOST, number of outliers, then process and value of those that are named. */
static void write_spread(struct page_json *j, const char *name, const struct merge_spread *s)
{
	page_json_open(j, name, '[');
	page_json_uint(j, NULL, s->with);
	page_json_int(j, NULL, s->least);
	page_json_int(j, NULL, s->median);
	page_json_int(j, NULL, s->most);
	page_json_uint(j, NULL, s->outliers);
	for (uint32_t i = 0; i < count_named(s); i++) {
		page_json_uint(j, NULL, s->outlier[i]);
		page_json_int(j, NULL, s->outlier_value[i]);
	}
	page_json_close(j, ']');
}

/* Writes the groups that the page still has, each with its first node. HOLDER: by node of C. */
static void write_grouping(struct page_json *j, const struct page_merge_spreads *s,
			   const char *name, const struct page_cut *c, const uint32_t *holder)
{
	uint8_t *is_written = xcalloc((size_t)s->groups + 1, 1);

	page_json_open(j, name, '[');
	for (uint32_t i = 1; i < c->count; i++) {
		const uint32_t group = s->group_of_place[holder[i]];

		if (group == 0 || is_written[group - 1])
			continue;
		is_written[group - 1] = 1;
		page_json_open(j, NULL, '{');
		page_json_uint(j, "node", i);
		for (int f = 0; f < PAGE_MERGE_FIGURES; f++)
			write_spread(j, figure_names[f], &s->spread[f][group - 1]);
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
	free(is_written);
}

/* ---- processes ----------------------------------------------------------------------------- */

static void write_curve(struct page_json *j, const int64_t *part)
{
	page_json_open(j, "curve", '[');
	for (int i = 0; i < PARTS; i++)
		page_json_uint(j, NULL, positive_or_zero(part[i]));
	page_json_close(j, ']');
}

static void write_process(struct page_json *j, const struct page_merge *p, uint32_t number,
			  const int64_t *part)
{
	const struct merge *m = p->merge;
	const struct merge_process *of = &m->process[number];
	const uint64_t start = of->start_ns - m->curve.start_ns;

	page_json_open(j, NULL, '{');
	page_json_uint(j, "number", number);
	if (of->rank != MERGE_RANK_NONE)
		page_json_int(j, "rank", of->rank);
	page_json_int(j, "pid", of->pid);
	page_json_text_cut(j, "name", merge_text(m, of->name), 200);
	if (*merge_text(m, of->host))
		page_json_text(j, "host", merge_text(m, of->host));
	if (p->file)
		page_json_text_cut(j, "file", p->file[of->source], 400);
	page_json_uint(j, "start", start);
	if (of->end_ns != UINT64_MAX)
		page_json_uint(j, "end", of->end_ns - m->curve.start_ns);
	page_json_int(j, "peak", of->peak);
	page_json_int(j, "then", of->at_peak);
	page_json_int(j, "live", of->live);
	page_put_end(j, of->end);
	page_json_bool(j, "outlier", merge_overview_is_outlier(&p->overview, number));
	if (part)
		write_curve(j, part);
	page_json_close(j, '}');
}

static void write_process_list(struct page_json *j, const struct page_merge *p, uint32_t nodes)
{
	const struct merge *m = p->merge;
	int64_t *part = xcalloc((size_t)m->processes * PARTS + 1, sizeof(*part));

	merge_curve_parts(&m->curve, m->processes, NULL, m->processes, part, PARTS);
	page_json_open(j, "list", '[');
	for (uint32_t i = 0; i < m->processes && i < nodes / NODES_PER_ROW; i++) {
		const uint32_t number = p->overview.order[i];

		write_process(j, p, number, i < nodes / NODES_PER_CURVE ?
				       part + (size_t)number * PARTS : NULL);
	}
	page_json_close(j, ']');
	free(part);
}

/* Writes the names of all processes that spreads refer to: they may not be in the list. */
static void write_outlier_names(struct page_json *j, const struct page_merge *p)
{
	const uint32_t processes = p->merge->processes;
	uint8_t *is_named = xcalloc((size_t)processes + 1, 1);
	char text[MERGE_NAME_LENGTH];

	for (int g = 0; g < PAGE_GROUPINGS; g++) {
		for (uint32_t i = 0; i < p->by[g].groups * PAGE_MERGE_FIGURES; i++) {
			const struct merge_spread *s =
				&p->by[g].spread[i % PAGE_MERGE_FIGURES][i / PAGE_MERGE_FIGURES];

			for (uint32_t k = 0; k < count_named(s); k++)
				is_named[s->outlier[k]] = 1;
		}
	}
	for (uint32_t k = 0; k < count_named(&p->overview.peaks); k++)
		is_named[p->overview.peaks.outlier[k]] = 1;
	page_json_open(j, "names", '[');
	for (uint32_t i = 0; i < processes; i++) {
		if (!is_named[i])
			continue;
		page_json_uint(j, NULL, i);
		page_json_text(j, NULL, merge_process_name(text, p->merge, i));
	}
	page_json_close(j, ']');
	free(is_named);
}

static void write_hosts(struct page_json *j, const struct page_merge *p)
{
	const struct merge_overview *o = &p->overview;
	const struct merge *m = p->merge;
	int64_t *part = xcalloc((size_t)o->hosts * PARTS + 1, sizeof(*part)), peak[MERGE_HOSTS];

	merge_curve_parts(&m->curve, m->processes, o->host_of, o->hosts, peak, 1);
	merge_curve_parts(&m->curve, m->processes, o->host_of, o->hosts, part, PARTS);
	page_json_open(j, "hosts", '[');
	for (uint32_t i = 0; o->has_hosts && i < o->hosts; i++) {
		uint32_t count = 0;

		for (uint32_t k = 0; k < m->processes; k++)
			count += o->host_of[k] == i;
		page_json_open(j, NULL, '{');
		page_json_text(j, "name", merge_text(m, o->host[i]));
		page_json_uint(j, "processes", count);
		page_json_int(j, "peak", peak[i]);
		write_curve(j, part + (size_t)i * PARTS);
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
	free(part);
}

void page_merge_put(struct page_json *j, const struct page_merge *p,
		    const struct page_stacks *stacks, const struct page_cut *c, uint32_t nodes)
{
	const struct merge *m = p->merge;
	uint32_t *holder = page_holders_places(&stacks->tree, c);

	page_json_open(j, "merge", '{');
	page_json_uint(j, "processes", m->processes);
	page_json_uint(j, "compared", p->overview.peaks.processes);
	page_json_uint(j, "left_out", m->failed);
	page_json_uint(j, "uncounted_forks", m->uncounted_forks);
	page_json_int(j, "peaks_sum", p->overview.peaks_sum);
	page_json_uint(j, "peak_t", m->curve.peak_ns - m->curve.start_ns);
	page_json_uint(j, "duration", m->curve.end_ns - m->curve.start_ns);
	write_spread(j, "peaks", &p->overview.peaks);
	write_hosts(j, p);
	write_process_list(j, p, nodes);
	write_outlier_names(j, p);
	page_json_open(j, "spread", '{');
	for (int g = 0; g < PAGE_GROUPINGS; g++)
		write_grouping(j, &p->by[g], page_grouping_name((enum page_grouping)g), c, holder);
	page_json_close(j, '}');
	page_json_close(j, '}');
	free(holder);
}
