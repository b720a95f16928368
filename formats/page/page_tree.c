/* page_tree.c -- the call tree of a report page: all stacks from the outermost caller inward.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_tree.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

static void room_for_place(struct page_tree *t)
{
	array_reserve(&t->place, &t->place_room, (size_t)t->place_count + 1, sizeof(*t->place));
}

static void room_for_node(struct page_tree *t)
{
	array_reserve(&t->node, &t->node_room, (size_t)t->node_count + 1, sizeof(*t->node));
}

void page_tree_init(struct page_tree *t)
{
	*t = (struct page_tree){ .place_count = 0 };
	room_for_place(t);
	room_for_node(t);
	t->place[t->place_count++] = (struct page_place){ .function = 0 };
	t->node[t->node_count++] = (struct page_node){ .parent = 0 };
}

uint32_t page_tree_text(struct page_tree *t, const char *text)
{
	return strings_add(&t->strings, text, strlen(text));
}

uint32_t page_tree_place(struct page_tree *t, const struct page_place *place)
{
	static const struct page_place unknown;
	uint32_t number;

	if (memcmp(place, &unknown, sizeof(unknown)) == 0)
		return 0;
	room_for_place(t);
	number = wordmap_add(&t->places, t->place, sizeof(*place) / sizeof(uint32_t),
			     &place->function, t->place_count);
	if (number == t->place_count)
		t->place[t->place_count++] = *place;
	return number;
}

uint32_t page_tree_child(struct page_tree *t, uint32_t parent, uint32_t place)
{
	const struct page_node node = { parent, place };
	uint32_t number;

	room_for_node(t);
	number = wordmap_add(&t->nodes, t->node, 2, &node.parent, t->node_count);
	if (number == t->node_count)
		t->node[t->node_count++] = node;
	return number;
}

void page_tree_free(struct page_tree *t)
{
	strings_free(&t->strings);
	free(t->place);
	free(t->node);
	wordmap_free(&t->places);
	wordmap_free(&t->nodes);
	*t = (struct page_tree){ .place_count = 0 };
}

/* ---- what is shown ------------------------------------------------------------------------- */

/* Scratch of page_cut(): shares in 2^-32 of the whole, so that they take four bytes. */
struct scoring {
	const struct page_tree *tree;
	const struct page_sites *sites;
	int64_t *sum;
	uint32_t *score;
	uint32_t *kept;		/* number in the cut, plus 1; 0: left out */
};

static int64_t site_metric_value(const struct page_sites *s, uint32_t site, enum page_metric m)
{
	int64_t value = s->value(s->data, site, m);

	return value > 0 ? value : 0;
}

static int64_t saturating_sum(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static uint32_t share_of_whole(int64_t part, int64_t whole)
{
	double value = (double)part / (double)whole * UINT32_MAX;

	return value >= UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void score_by_metric(struct scoring *s, enum page_metric m)
{
	const struct page_node *node = s->tree->node;
	uint32_t count = s->tree->node_count;

	memset(s->sum, 0, count * sizeof(*s->sum));
	for (uint32_t i = 0; i < s->sites->count; i++) {
		int64_t *at = &s->sum[s->sites->node[i]];

		*at = saturating_sum(*at, site_metric_value(s->sites, i, m));
	}
	for (uint32_t i = count; i-- > 1;)
		s->sum[node[i].parent] = saturating_sum(s->sum[node[i].parent], s->sum[i]);
	for (uint32_t i = 0; i < count && s->sum[0] > 0; i++) {
		uint32_t of_all = share_of_whole(s->sum[i], s->sum[0]);

		if (of_all > s->score[i])
			s->score[i] = of_all;
	}
}

enum { BINS = 1 << 16 }; /* one for each half of a value */

/* The value whose place from the top is RANK, counted from 0: half of its bits, then the others. */
static uint32_t value_at_rank(const uint32_t *value, uint32_t count, uint32_t rank)
{
	uint32_t *in = xmalloc(BINS * sizeof(*in)), found = 0;

	for (int half = 1; half >= 0; half--) {
		uint32_t bin = UINT16_MAX;

		memset(in, 0, BINS * sizeof(*in));
		for (uint32_t i = 0; i < count; i++) {
			if (half == 1)
				in[value[i] >> 16]++;
			else if (value[i] >> 16 == found >> 16)
				in[value[i] & UINT16_MAX]++;
		}
		for (; bin > 0 && in[bin] <= rank; bin--)
			rank -= in[bin];
		found |= half == 1 ? bin << 16 : bin;
	}
	free(in);
	return found;
}

/* The smallest score with which at most MAX of COUNT stay. */
static uint32_t threshold_for_count(const uint32_t *score, uint32_t count, uint32_t max)
{
	uint32_t first_out;

	if (count <= max)
		return 0;
	first_out = value_at_rank(score, count, max);
	return first_out < UINT32_MAX ? first_out + 1 : UINT32_MAX;
}

static void keep_best_nodes(struct page_cut *c, struct scoring *s, uint32_t max)
{
	uint32_t count = s->tree->node_count;
	uint32_t least = threshold_for_count(s->score, count, max);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || (s->score[i] >= least && kept < max &&
			       s->kept[s->tree->node[i].parent]))
			s->kept[i] = ++kept;
	}
	c->left_out = count - kept;
	c->share = c->left_out ? (double)least / UINT32_MAX : 0;
	/* Each kept node may get one that stands for others, each site one of its own. */
	c->node = xreallocarray(NULL, (size_t)2 * kept + max / 2 + 1, sizeof(*c->node));
	c->flags = xcalloc((size_t)2 * kept + max / 2 + 1, 1);
	for (uint32_t i = 0; i < count; i++) {
		if (s->kept[i])
			c->node[c->count++] = (struct page_node){
				i ? s->kept[s->tree->node[i].parent] - 1 : 0, s->tree->node[i].place
			};
	}
}

/* Values of dropped nodes go to (nearest kept node, innermost place), if that is worth a node. */
struct node_groups {
	struct page_node *group;	/* entry 0 is not used */
	uint32_t count, room;
	struct wordmap map;
	int64_t *sum;
	uint32_t *score;
	uint32_t *others;	/* per kept node: its node for the rest, 0 none yet */
};

static uint32_t find_or_add_group(struct node_groups *g, const struct page_node *key)
{
	uint32_t number;

	array_reserve(&g->group, &g->room, (size_t)g->count + 1, sizeof(*g->group));
	number = wordmap_add(&g->map, g->group, 2, &key->parent, g->count);
	if (number == g->count)
		g->group[g->count++] = *key;
	return number;
}

/* Sets of_site to the node, or for a site that was left out to its group with the top bit. */
#define IS_GROUP (UINT32_C(1) << 31)

static void group_cut_nodes(struct page_cut *c, const struct scoring *s, struct node_groups *g)
{
	array_reserve(&g->group, &g->room, 1, sizeof(*g->group));
	g->group[g->count++] = (struct page_node){ UINT32_MAX, UINT32_MAX };
	for (uint32_t i = 0; i < s->sites->count; i++) {
		uint32_t node = s->sites->node[i], at = node;

		while (!s->kept[at])
			at = s->tree->node[at].parent;
		if (at != node) {
			const struct page_node key = { s->kept[at] - 1,
						       s->tree->node[node].place };

			c->of_site[i] = find_or_add_group(g, &key) | IS_GROUP;
		} else {
			c->of_site[i] = s->kept[at] - 1;
		}
	}
}

static void score_groups_by_metric(const struct page_cut *c, const struct scoring *s,
				   struct node_groups *g, enum page_metric m)
{
	int64_t all = 0;

	memset(g->sum, 0, g->count * sizeof(*g->sum));
	for (uint32_t i = 0; i < s->sites->count; i++) {
		int64_t value = site_metric_value(s->sites, i, m);

		all = saturating_sum(all, value);
		if (c->of_site[i] & IS_GROUP) {
			int64_t *at = &g->sum[c->of_site[i] & ~IS_GROUP];

			*at = saturating_sum(*at, value);
		}
	}
	for (uint32_t i = 0; i < g->count && all > 0; i++) {
		uint32_t of_all = share_of_whole(g->sum[i], all);

		if (of_all > g->score[i])
			g->score[i] = of_all;
	}
}

static uint32_t append_cut_node(struct page_cut *c, uint32_t parent, uint32_t place, uint8_t flags)
{
	c->node[c->count] = (struct page_node){ parent, place };
	c->flags[c->count] = flags;
	return c->count++;
}

/* Give every group a node: the best ones their own, the rest that of their parent. g->score is
 * the groups' node from here on. */
static void append_best_groups(struct page_cut *c, struct node_groups *g, uint32_t max)
{
	uint32_t least = threshold_for_count(g->score, g->count, max);
	uint32_t left = max;

	for (uint32_t i = 1; i < g->count; i++) {
		uint32_t parent = g->group[i].parent;

		if (g->score[i] >= least && left > 0) {
			g->score[i] = append_cut_node(c, parent, g->group[i].place, PAGE_SKIPPED);
			left--;
			continue;
		}
		if (!g->others[parent])
			g->others[parent] =
				append_cut_node(c, parent, 0, PAGE_SKIPPED | PAGE_OTHERS);
		g->score[i] = g->others[parent];
	}
}

static void sum_removed_nodes(struct page_cut *c, const struct scoring *s, uint32_t max)
{
	struct node_groups g = { .count = 0 };

	group_cut_nodes(c, s, &g);
	g.sum = xcalloc(g.count, sizeof(*g.sum));
	g.score = xcalloc(g.count, sizeof(*g.score));
	g.others = xcalloc(c->count, sizeof(*g.others));
	for (int m = 0; m < PAGE_MAX_BYTES; m++) {
		if (s->sites->metrics >> m & 1)
			score_groups_by_metric(c, s, &g, m);
	}
	append_best_groups(c, &g, max);
	for (uint32_t i = 0; i < s->sites->count; i++) {
		if (c->of_site[i] & IS_GROUP)
			c->of_site[i] = g.score[c->of_site[i] & ~IS_GROUP];
	}
	free(g.group);
	wordmap_free(&g.map);
	free(g.sum);
	free(g.score);
	free(g.others);
}

void page_cut(struct page_cut *c, const struct page_tree *t, const struct page_sites *sites,
	      uint32_t nodes)
{
	struct scoring s = {
		.tree = t, .sites = sites,
		.sum = xcalloc(t->node_count, sizeof(*s.sum)),
		.score = xcalloc(t->node_count, sizeof(*s.score)),
		.kept = xcalloc(t->node_count, sizeof(*s.kept)),
	};

	*c = (struct page_cut){ .of_site = xcalloc((size_t)sites->count + 1,
						   sizeof(*c->of_site)) };
	for (int m = 0; m < PAGE_MAX_BYTES; m++) {
		if (sites->metrics >> m & 1)
			score_by_metric(&s, m);
	}
	keep_best_nodes(c, &s, nodes);
	sum_removed_nodes(c, &s, nodes / 2);
	free(s.sum);
	free(s.score);
	free(s.kept);
}

void page_cut_free(struct page_cut *c)
{
	free(c->node);
	free(c->flags);
	free(c->of_site);
	*c = (struct page_cut){ .count = 0 };
}
