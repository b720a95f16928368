/* flame.c -- Draws a call tree as a flame graph.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/flame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusagestat/chart.h"
#include "profile/model/shortname.h"

enum { ROW = 19, MARGIN = 16, TEXT = 12, HEIGHT_MAX = 4000, NAME = 512 };

struct flame_layout {
	const struct flame *f;
	const struct theme *theme;
	struct drawing *d;
	int64_t *sum;		/* per node, including all nodes below it */
	uint32_t *first, *next;	/* children, largest first */
	uint32_t *order;	/* of the nodes, for sorting */
	double *x;		/* left edge, in pixels */
	uint32_t *depth;
	double scale;		/* pixels per unit */
	double bottom;
	uint32_t levels;
};

static void sum_up_subtrees(struct flame_layout *l)
{
	const struct page_sites *s = l->f->sites;
	const struct page_tree *t = l->f->tree;

	for (uint32_t i = 0; i < s->count; i++) {
		int64_t value = s->value(s->data, i, l->f->metric);

		if (value > 0 && l->sum[s->node[i]] < INT64_MAX / 4)
			l->sum[s->node[i]] += value < INT64_MAX / 4 ? value : INT64_MAX / 4;
	}
	for (uint32_t i = t->node_count; i-- > 1;) {
		int64_t *up = &l->sum[t->node[i].parent];

		if (__builtin_add_overflow(*up, l->sum[i], up))
			*up = INT64_MAX;
	}
}

static int compare_sums(const void *a, const void *b, void *data)
{
	const int64_t *sum = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return sum[x] != sum[y] ? (sum[x] < sum[y] ? -1 : 1) : x < y ? 1 : -1;
}

/* Nodes are entered smallest first, each at the front of its list: lists begin with the largest. */
static void link_children_by_size(struct flame_layout *l)
{
	const struct page_tree *t = l->f->tree;

	for (uint32_t i = 0; i < t->node_count; i++)
		l->order[i] = i;
	qsort_r(l->order, t->node_count, sizeof(*l->order), compare_sums, l->sum);
	for (uint32_t i = 0; i < t->node_count; i++) {
		uint32_t node = l->order[i], parent = t->node[node].parent;

		if (node == 0)
			continue;
		l->next[node] = l->first[parent];
		l->first[parent] = node;
	}
}

static double node_width(const struct flame_layout *l, uint32_t node)
{
	return (double)l->sum[node] * l->scale;
}

/* Parents have smaller numbers, so one pass is enough. A node that is too narrow gets x < 0. */
static void place_nodes(struct flame_layout *l)
{
	const struct page_tree *t = l->f->tree;

	l->x[0] = MARGIN;
	for (uint32_t i = 0; i < t->node_count; i++) {
		double x = l->x[i];

		for (uint32_t c = l->first[i]; c; c = l->next[c]) {
			l->depth[c] = l->depth[i] + 1;
			l->x[c] = l->x[i] < 0 || node_width(l, c) < 0.5 ? -1 : x;
			x += node_width(l, c);
			if (l->x[c] >= 0 && l->depth[c] > l->levels)
				l->levels = l->depth[c];
		}
	}
}

static const char *path_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *tree_string(const struct flame_layout *l, uint32_t number)
{
	return strings_get(&l->f->tree->strings, number);
}

static void describe_node(const struct flame_layout *l, uint32_t node, char text[NAME + 300],
			  bool is_long)
{
	const struct page_place *p = &l->f->tree->place[l->f->tree->node[node].place];
	const char *file = path_base_name(tree_string(l, p->file));
	const char *object = path_base_name(tree_string(l, p->object));
	char name[NAME];

	if (node == 0)
		snprintf(text, NAME + 300, "all");
	else if (*file)
		snprintf(text, NAME + 300, "%s (%.200s:%u)",
			 shortname(tree_string(l, p->function), name, is_long ? NAME : 120), file,
			 p->line);
	else
		snprintf(text, NAME + 300, "%s%s%.200s%s",
			 shortname(tree_string(l, p->function), name, is_long ? NAME : 120),
			 *object ? " (" : "", object, *object ? ")" : "");
}

/* The object determines the hue, the function a little of the lightness. */
static uint32_t node_color(const struct flame_layout *l, uint32_t node)
{
	const struct page_place *p = &l->f->tree->place[l->f->tree->node[node].place];
	const char *object = tree_string(l, p->object ? p->object : p->file);
	uint32_t hash = 2166136261u, own = p->function * 2654435761u;
	double share = 0.42 + (own >> 28) * 0.012;

	if (node == 0)
		return l->theme->grid;
	for (; *object; object++)
		hash = (hash ^ (unsigned char)*object) * 16777619u;
	if (p->flags & PAGE_RUNTIME)
		return theme_blend(l->theme->other, l->theme->plot, share);
	return theme_blend(l->theme->series[(hash >> 8) % THEME_SERIES], l->theme->plot, share);
}

static void format_value(const struct flame_layout *l, int64_t sum, char value[CHART_LABEL])
{
	if (l->f->metric == PAGE_TOTAL_BLOCKS || l->f->metric == PAGE_TEMPORARY)
		snprintf(value, CHART_LABEL, "%lld block%s", (long long)sum, sum == 1 ? "" : "s");
	else
		chart_bytes(value, (double)sum, NULL);
}

static void draw_frame_box(struct flame_layout *l, uint32_t node)
{
	double x = l->x[node], w = node_width(l, node), y = l->bottom - (l->depth[node] + 1) * ROW;
	uint32_t color = node_color(l, node);
	struct text_style style = { .size = TEXT, .color = theme_ink(color) };
	char text[NAME + 300], tip[NAME + 400], value[CHART_LABEL];

	describe_node(l, node, text, true);
	format_value(l, l->sum[node], value);
	snprintf(tip, sizeof(tip), "%s: %s, %.1f %%", text, value,
		 100.0 * (double)l->sum[node] / (double)l->sum[0]);
	drawing_tip(l->d, tip);
	drawing_rectangle(l->d, x, y, w > 1.5 ? w - 0.7 : w, ROW - 1, color);
	if (w > 28) {
		char *fit;

		describe_node(l, node, text, false);
		fit = drawing_text_fit(&style, text, w - 8, false);
		drawing_text(l->d, x + 4, y + ROW * 0.68, &style, fit);
		free(fit);
	}
	drawing_tip(l->d, NULL);
}

static void allocate_layout(struct flame_layout *l)
{
	uint32_t count = l->f->tree->node_count;

	l->sum = xcalloc(count, sizeof(*l->sum));
	l->first = xcalloc(count, sizeof(*l->first));
	l->next = xcalloc(count, sizeof(*l->next));
	l->order = xcalloc(count, sizeof(*l->order));
	l->x = xcalloc(count, sizeof(*l->x));
	l->depth = xcalloc(count, sizeof(*l->depth));
}

static void release_layout(struct flame_layout *l)
{
	free(l->sum);
	free(l->first);
	free(l->next);
	free(l->order);
	free(l->x);
	free(l->depth);
}

static void draw_flame_title(struct flame_layout *l)
{
	char subtitle[200], value[CHART_LABEL];

	format_value(l, l->sum[0], value);
	snprintf(subtitle, sizeof(subtitle), "%s %s. Each box is a function, with the functions "
		 "that it called above it; its width is its share.", value, l->f->what);
	chart_title(l->d, l->theme, l->f->title, subtitle);
}

void flame_draw(struct drawing *d, const struct flame *f, const struct theme *theme)
{
	struct flame_layout l = { .f = f, .theme = theme, .d = d };
	double height = f->height;

	allocate_layout(&l);
	sum_up_subtrees(&l);
	link_children_by_size(&l);
	l.scale = l.sum[0] > 0 ? (f->width - 2 * MARGIN) / (double)l.sum[0] : 0;
	place_nodes(&l);
	if (height == 0)
		height = fmin(fmax(60 + (l.levels + 1) * ROW + MARGIN, 120), HEIGHT_MAX);
	l.bottom = height - MARGIN;
	drawing_init(d, f->width, height, theme->background);
	for (uint32_t i = 0; i < f->tree->node_count; i++) {
		if (l.x[i] >= 0 && l.sum[i] > 0 && l.bottom - (l.depth[i] + 1) * ROW > 56)
			draw_frame_box(&l, i);
	}
	draw_flame_title(&l);
	release_layout(&l);
}
