/* page_trends.c -- Verdicts on the places of a page: a place grows, has settled, or churns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_trends.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "formats/page/page_groupings.h"
#include "formats/page/page_holders.h"
#include "profile/model/place_trends.h"

enum {
	SITES_FEW = 4096,	/* all places are judged; of more sites only ... */
	LEAST_PART = 1000	/* ... those with a site that once had this part of the peak */
};

/* One way to group places. */
struct trend_group {
	const struct export *export;
	const struct page_stacks *stacks;
	struct triples keys;	/* of groups of places */
	uint32_t *judged;	/* per key: number of the group, + 1; 0: it is not judged */
	uint32_t *of_site;	/* number of the group, or PLACE_NONE */
	enum trend *trend;	/* per group */
	uint32_t count;
};

static bool is_site_judged(const struct trend_group *g, uint32_t site)
{
	const struct sites *all = &g->export->filter->profile->sites;

	return g->stacks->standing[site] == PAGE_SHOWN &&
	       (all->count <= SITES_FEW || all->site[site].max_bytes >=
						   g->export->image->head.heap.peak / LEAST_PART);
}

/* Numbers the groups that have a judged site, and the sites by them. HOLDER: place of each node. */
static void number_groups(struct trend_group *g, enum page_grouping grouping,
			  const uint32_t *holder)
{
	const struct page_stacks *stacks = g->stacks;
	const uint32_t sites = g->export->filter->profile->sites.count;
	uint32_t *group_of_key = xcalloc((size_t)stacks->tree.place_count + 1, sizeof(uint32_t));

	for (uint32_t i = 0; i < sites; i++) {
		const uint32_t place = holder[stacks->node[i]];
		const uint32_t key = place ? page_grouping_key(&g->keys, &stacks->tree, grouping,
							       place) : PLACE_NONE;

		g->of_site[i] = key;
		if (place && is_site_judged(g, i) && group_of_key[key] == 0)
			group_of_key[key] = ++g->count;
	}
	for (uint32_t i = 0; i < sites; i++) {
		const bool is_shown = stacks->standing[i] == PAGE_SHOWN;

		if (g->of_site[i] != PLACE_NONE)
			g->of_site[i] = is_shown ? group_of_key[g->of_site[i]] - 1 : PLACE_NONE;
	}
	g->judged = group_of_key;
}

/* Writes the nodes of the page that have a verdict. */
static void write_verdicts(struct page_json *j, struct trend_group *g, enum page_grouping grouping,
			   const struct page_cut *c, const uint32_t *holder)
{
	const struct page_tree *t = &g->stacks->tree;
	const uint32_t known = g->keys.count;

	for (uint32_t i = 1; i < c->count; i++) {
		const uint32_t place = holder[i];
		const uint32_t key = place ? page_grouping_key(&g->keys, t, grouping, place) :
					     known;
		const uint32_t group = key < known ? g->judged[key] : 0;

		if (group == 0 || g->trend[group - 1] == TREND_NONE)
			continue;
		page_json_uint(j, NULL, i);
		page_json_uint(j, NULL, (uint64_t)g->trend[group - 1]);
	}
}

static void judge_groups(struct trend_group *g, const struct site_errors *errors)
{
	const struct export *e = g->export;

	g->trend = xcalloc((size_t)g->count + 1, sizeof(*g->trend));
	place_trends_judge(g->trend, g->of_site, g->count, &e->filter->profile->sites, e->image,
			   errors, e->by_bytes);
}

void page_put_trends(struct page_json *j, const struct export *e, const struct page_stacks *s,
		     const struct site_errors *errors, const struct page_cut *c)
{
	const struct page_tree *t = &s->tree;
	const struct page_cut whole = { .node = t->node, .count = t->node_count };
	const uint32_t sites = e->filter->profile->sites.count;
	uint32_t *of_tree = page_holders_places(t, &whole), *of_cut = page_holders_places(t, c);

	page_json_open(j, "trends", '{');
	for (int grouping = 0; grouping < PAGE_GROUPINGS; grouping++) {
		struct trend_group g = { .export = e, .stacks = s };

		g.of_site = xcalloc((size_t)sites + 1, sizeof(*g.of_site));
		number_groups(&g, (enum page_grouping)grouping, of_tree);
		judge_groups(&g, errors);
		page_json_open(j, page_grouping_name((enum page_grouping)grouping), '[');
		write_verdicts(j, &g, (enum page_grouping)grouping, c, of_cut);
		page_json_close(j, ']');
		triples_free(&g.keys);
		free(g.judged);
		free(g.of_site);
		free(g.trend);
	}
	page_json_close(j, '}');
	free(of_tree);
	free(of_cut);
}
