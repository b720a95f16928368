/* flame.c -- Draws a call tree as a flame graph.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/flame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "memusagestat/chart.h"
#include "memusagestat/flame_colors.h"
#include "profile/model/shortname.h"
#include "profile/read/site_errors.h"

enum {
	USUAL_WIDTH = 1200, USUAL_HEIGHT = 800,
	ROW = 19, ROW_LEAST = 3, TITLE = 56, MARGIN = 16, TEXT = 12, NAME = 512,
	/* A level of calls counts for the height if it has a frame of this many units; a narrower
	 * tower of calls makes no picture higher. */
	LEVEL_WIDTH = 6, HEIGHT_LEAST = 200, HEIGHT_MOST = 4000,
};

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
	double row, bottom;	/* the height of a frame, the lower edge of the lowest */
	uint32_t levels;
	struct flame_colors colors;
	/* Per node, with all nodes below it; of two files only. */
	double *old, *new;
	struct sampled_error *error;
};

/* Growth and loss, which people with any kind of colour blindness tell apart, and by their
 * lightness also those who see none (docs/design.md, "Pictures"). */
#define GROWN_COLOR 0xe87a0eu
#define SHRUNK_COLOR 0x2f6fbfu

static void sum_up_subtrees(struct flame_layout *l, enum page_metric metric)
{
	const struct page_sites *s = l->f->sites;
	const struct page_tree *t = l->f->tree;

	memset(l->sum, 0, t->node_count * sizeof(*l->sum));
	for (uint32_t i = 0; i < s->count; i++) {
		int64_t value = s->value(s->data, i, metric);

		if (value > 0 && l->sum[s->node[i]] < INT64_MAX / 4)
			l->sum[s->node[i]] += value < INT64_MAX / 4 ? value : INT64_MAX / 4;
	}
	for (uint32_t i = t->node_count; i-- > 1;) {
		int64_t *up = &l->sum[t->node[i].parent];

		if (__builtin_add_overflow(*up, l->sum[i], up))
			*up = INT64_MAX;
	}
}

/* Hues go by the peak, whatever is shown, so that they are the same in all pictures of a run. */
static void choose_colors(struct flame_layout *l)
{
	static const enum page_metric metrics[] = { PAGE_PEAK_BYTES, PAGE_TOTAL_BYTES,
						    PAGE_END_BYTES };

	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		if (!(l->f->sites->metrics >> metrics[i] & 1))
			continue;
		sum_up_subtrees(l, metrics[i]);
		if (l->sum[0] > 0)
			break;
	}
	flame_colors_init(&l->colors, l->f->tree, l->sum, strcmp(l->theme->name, "dark") == 0);
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
			if (l->x[c] >= 0 && node_width(l, c) >= LEVEL_WIDTH &&
			    l->depth[c] > l->levels)
				l->levels = l->depth[c];
		}
	}
}

static const char *tree_string(const struct flame_layout *l, uint32_t number)
{
	return strings_get(&l->f->tree->strings, number);
}

static void describe_node(const struct flame_layout *l, uint32_t node, char text[NAME + 300],
			  bool is_long)
{
	const struct page_place *p = &l->f->tree->place[l->f->tree->node[node].place];
	const char *file = basename(tree_string(l, p->file));
	const char *object = basename(tree_string(l, p->object));
	char name[NAME], line[16] = "";

	/* Functions of Python have a file without lines. */
	if (p->line)
		snprintf(line, sizeof(line), ":%u", p->line);
	if (node == 0)
		snprintf(text, NAME + 300, "all");
	else if (*file)
		snprintf(text, NAME + 300, "%s (%.200s%s)",
			 shortname(tree_string(l, p->function), name, is_long ? NAME : 120), file,
			 line);
	else
		snprintf(text, NAME + 300, "%s%s%.200s%s",
			 shortname(tree_string(l, p->function), name, is_long ? NAME : 120),
			 *object ? " (" : "", object, *object ? ")" : "");
}

/* ---- two files ----------------------------------------------------------------------------- */

static void sum_up_sides(struct flame_layout *l)
{
	const struct page_sites *s = l->f->sites;
	const struct flame_change *c = l->f->change;

	for (uint32_t i = 0; i < s->count; i++) {
		l->old[s->node[i]] += (double)c->old[i];
		l->new[s->node[i]] += (double)c->new[i];
		if (c->error)
			sampled_error_add(&l->error[s->node[i]], &c->error[i]);
	}
	for (uint32_t i = l->f->tree->node_count; i-- > 1;) {
		const uint32_t up = l->f->tree->node[i].parent;

		l->old[up] += l->old[i];
		l->new[up] += l->new[i];
		sampled_error_add(&l->error[up], &l->error[i]);
	}
}

static bool is_within_error(const struct flame_layout *l, uint32_t node)
{
	const double change = l->new[node] - l->old[node];
	const struct sampled_error *e = &l->error[node];
	struct sampled_interval i;

	if (l->f->change->distance <= 0)
		return false;
	if (e->samples <= 0)
		return fabs(change) <= sampled_bytes_unseen(l->f->change->distance);
	i = sampled_bytes_interval(e, change, l->f->change->distance);
	return i.low <= 0 && i.high >= 0;
}

/* The stronger, the larger the part of the box that came or went. */
static uint32_t change_color(const struct flame_layout *l, uint32_t node)
{
	const double change = l->new[node] - l->old[node], more = fmax(l->new[node], l->old[node]);
	const uint32_t color = change > 0 ? GROWN_COLOR : SHRUNK_COLOR;

	if (more <= 0 || fabs(change) < more / 1000 || is_within_error(l, node))
		return l->theme->grid;
	return theme_blend(color, l->theme->grid, 0.25 + 0.75 * fabs(change) / more);
}

/* "+2.00 MiB (1.00 MiB to 3.00 MiB)" */
static void describe_change(const struct flame_layout *l, uint32_t node,
			    char text[4 * CHART_LABEL + 64])
{
	const double change = l->new[node] - l->old[node];
	char by[CHART_LABEL], old[CHART_LABEL], new[CHART_LABEL];

	chart_bytes(by, fabs(change), NULL);
	chart_bytes(old, l->old[node], NULL);
	chart_bytes(new, l->new[node], NULL);
	snprintf(text, 4 * CHART_LABEL + 64, "%s%s (%s to %s)%s", change < 0 ? "-" : "+", by, old,
		 new, is_within_error(l, node) ? ", within the error of the estimates" : "");
}

static uint32_t node_color(const struct flame_layout *l, uint32_t node)
{
	if (l->f->change)
		return change_color(l, node);
	if (node == 0)
		return l->theme->grid;
	return flame_colors_of(&l->colors, &l->f->tree->place[l->f->tree->node[node].place]);
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
	double x = l->x[node], w = node_width(l, node);
	double y = l->bottom - (l->depth[node] + 1) * l->row;
	uint32_t color = node_color(l, node);
	struct text_style style = { .size = TEXT, .color = theme_ink(color) };
	char text[NAME + 300], tip[NAME + 600], value[CHART_LABEL];

	describe_node(l, node, text, true);
	format_value(l, l->sum[node], value);
	if (l->f->change) {
		char change[4 * CHART_LABEL + 64];

		describe_change(l, node, change);
		snprintf(tip, sizeof(tip), "%s: %s", text, change);
	} else {
		snprintf(tip, sizeof(tip), "%s: %s, %.1f %%", text, value,
			 100.0 * (double)l->sum[node] / (double)l->sum[0]);
	}
	drawing_tip(l->d, tip);
	drawing_rectangle(l->d, x, y, w > 1.5 ? w - 0.7 : w, l->row * (ROW - 1) / ROW, color);
	if (w > 28 && l->row > TEXT) {
		char *fit;

		describe_node(l, node, text, false);
		fit = drawing_text_fit(&style, text, w - 8, false);
		drawing_text(l->d, x + 4, y + l->row / 2 + TEXT * 0.3, &style, fit);
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
	if (!l->f->change)
		return;
	l->old = xcalloc(count, sizeof(*l->old));
	l->new = xcalloc(count, sizeof(*l->new));
	l->error = xcalloc(count, sizeof(*l->error));
	sum_up_sides(l);
}

static void release_layout(struct flame_layout *l)
{
	flame_colors_free(&l->colors);
	free(l->sum);
	free(l->first);
	free(l->next);
	free(l->order);
	free(l->x);
	free(l->depth);
	free(l->old);
	free(l->new);
	free(l->error);
}

/* The error of an estimate of all bytes. */
static struct sampled_error sum_errors(const struct page_sites *s, enum page_metric metric)
{
	const int first = PAGE_ERRORS + PAGE_ERROR_FIELDS * (metric == PAGE_TOTAL_BYTES ? 2 :
							     metric == PAGE_END_BYTES ? 1 : 0);
	struct sampled_error e = { .is_sampled = true };

	for (uint32_t i = 0; i < s->count; i++) {
		e.samples += (double)s->value(s->data, i, first + PAGE_ERROR_SAMPLES);
		e.exact_bytes += (double)s->value(s->data, i, first + PAGE_ERROR_EXACT_BYTES);
		e.variance += (double)s->value(s->data, i, first + PAGE_ERROR_VARIANCE) *
			      MU_SAMPLE_VARIANCE_UNIT;
	}
	return e;
}

/* " +- 0.9 (estimated)"; empty if the figures are exact. */
static void format_bounds(const struct flame_layout *l, char text[BOUNDS_LENGTH + 16])
{
	const struct page_sites *s = l->f->sites;
	char bounds[BOUNDS_LENGTH];
	struct sampled_error e;

	*text = '\0';
	if (s->distance <= 0)
		return;
	e = sum_errors(s, l->f->metric);
	snprintf(text, BOUNDS_LENGTH + 16, " %s (estimated)", l->f->metric == PAGE_TEMPORARY ? "" :
		 bounds_bytes(bounds, &e, l->sum[0], s->distance));
}

/* Returns the lower edge of the title. */
static double draw_flame_title(struct flame_layout *l)
{
	char subtitle[400], value[CHART_LABEL], bounds[BOUNDS_LENGTH + 16];

	if (l->f->change) {
		char change[4 * CHART_LABEL + 64];

		describe_change(l, 0, change);
		snprintf(subtitle, sizeof(subtitle), "%s %s. A box is as wide as the larger of "
			 "both. Orange grew, blue shrank, grey stayed%s.", change, l->f->what,
			 l->f->change->distance > 0 ? " or is within the error" : "");
		return chart_title(l->d, l->theme, l->f->title, subtitle);
	}
	format_value(l, l->sum[0], value);
	format_bounds(l, bounds);
	snprintf(subtitle, sizeof(subtitle), "%s%s %s. Each box is a function, with the functions "
		 "that it called above it; its width is its share.", value, bounds, l->f->what);
	return chart_title(l->d, l->theme, l->f->title, subtitle);
}

/* Makes the picture as high as the calls if its height is not given, else the calls as low as the
 * picture. */
static void init_flame_drawing(struct flame_layout *l)
{
	const struct point usual = { USUAL_WIDTH, USUAL_HEIGHT };
	struct point size = { l->f->width, l->f->height };
	double scale = drawing_scale(size, usual), width = size.x / scale, needed;

	l->scale = l->sum[0] > 0 ? (width - 2 * MARGIN) / (double)l->sum[0] : 0;
	place_nodes(l);
	needed = TITLE + 4 + (l->levels + 1) * ROW + MARGIN;
	if (size.y <= 0)
		size.y = fmin(fmax(needed, HEIGHT_LEAST), HEIGHT_MOST) * scale;
	drawing_init_scaled(l->d, size, scale, l->theme->background);
	l->bottom = l->d->height - MARGIN;
}

void flame_draw(struct drawing *d, const struct flame *f, const struct theme *theme)
{
	struct flame_layout l = { .f = f, .theme = theme, .d = d };
	double top;

	allocate_layout(&l);
	choose_colors(&l);
	sum_up_subtrees(&l, f->metric);
	link_children_by_size(&l);
	init_flame_drawing(&l);
	top = draw_flame_title(&l);
	l.row = fmin(fmax(floor((l.bottom - top) / (l.levels + 1)), ROW_LEAST), ROW);
	for (uint32_t i = 0; i < f->tree->node_count; i++) {
		if (l.x[i] >= 0 && l.sum[i] > 0 && l.bottom - (l.depth[i] + 1) * l.row >= top)
			draw_frame_box(&l, i);
	}
	release_layout(&l);
}
