/* bandgraph.c -- The band graph: memory over time by place, one band above the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/bandgraph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusagestat/drawing/clip.h"

enum {
	LAYERS = BANDS_MOST + 3,
	LABEL = 96,
	MARKS_X = 7, MARKS_Y = 6,	/* marks on an axis, at most */
	EDGE = 8,
	/* A smaller picture leaves out the key, the title or the labels of the axes. */
	KEY_LEAST_WIDTH = 420, TITLE_LEAST_HEIGHT = 160,
	LABELS_LEAST_WIDTH = 240, LABELS_LEAST_HEIGHT = 140,
};

/* A band as it is drawn. */
struct band_layer {
	const struct band *band;
	const char *name;
	uint32_t color;
	char mark[12];		/* its number; "" if it is not a place */
	double *top;		/* y of its upper edge, for each sample */
};

struct band_graph {
	struct drawing *d;
	const struct bands *b;
	const struct theme *theme;
	double scale;		/* of letters and distances; 1 at 800 x 600 */
	double left, right, top, bottom;	/* of the plot */
	double key;		/* left edge of the key */
	bool has_key, has_title, has_labels;
	double y_end;		/* bytes at the top */
	double y_step;
	struct band_layer layer[LAYERS];	/* from the bottom up */
	int layers;
};

static double x_of_time(const struct band_graph *g, double time)
{
	const struct bands *b = g->b;
	double first = b->time[0], range = b->time[b->count - 1] - first;

	return g->left + (range > 0 ? (time - first) / range : 0) * (g->right - g->left);
}

static double y_of_bytes(const struct band_graph *g, double bytes)
{
	return g->bottom - bytes / g->y_end * (g->bottom - g->top);
}

/* ---- layers ------------------------------------------------------------------------------ */

static void append_layer(struct band_graph *g, const struct band *band, const char *name,
			 uint32_t color, uint32_t number)
{
	struct band_layer *layer = &g->layer[g->layers];

	if (band->peak <= 0)
		return;
	g->layers++;
	*layer = (struct band_layer){ .band = band, .name = name, .color = color,
				 .top = xcalloc(g->b->count, sizeof(double)) };
	if (number)
		snprintf(layer->mark, sizeof(layer->mark), "%u", number);
}

static void list_layers(struct band_graph *g)
{
	const struct bands *b = g->b;

	append_layer(g, &b->other, "OTHER", g->theme->other, 0);
	for (uint32_t i = b->band_count; i-- > 0;)
		append_layer(g, &b->band[i], b->band[i].name, g->theme->series[i % THEME_SERIES],
			     i + 1);
	append_layer(g, &b->admin, "admin and rounding", g->theme->admin, 0);
	append_layer(g, &b->stacks, "stack(s)", g->theme->stacks, 0);
}

/* Returns the smallest step of which at most MOST reach END: 1, 2 or 5 times BASE times a
 * power of ten. */
static double round_axis_step(double end, int most, double base)
{
	double step = base;

	while (step * 10 * most <= end)
		step *= 10;
	if (step * most >= end)
		return step;
	if (step * 2 * most >= end)
		return step * 2;
	return step * 5 * most >= end ? step * 5 : step * 10;
}

/* Returns how many marks an axis of LENGTH has at a distance of ROOM, at most MOST. */
static int count_marks(double length, double room, int most)
{
	return (int)fmin(fmax(length / room, 1), most);
}

/* Bytes are shown in units of 1024, so steps are round in these units. */
static void set_y_scale(struct band_graph *g)
{
	double unit = 1, peak = g->b->peak > 0 ? g->b->peak : 1;

	while (peak / unit >= 1024)
		unit *= 1024;
	g->y_step = round_axis_step(peak / unit, count_marks(g->bottom - g->top, 24 * g->scale,
							    MARKS_Y), 0.001) * unit;
	if (unit == 1 && g->y_step < 1)
		g->y_step = 1;
	g->y_end = ceil(peak * 1.02 / g->y_step) * g->y_step;
}

static void compute_layer_tops(struct band_graph *g)
{
	for (uint32_t i = 0; i < g->b->count; i++) {
		double sum = 0;

		for (int k = 0; k < g->layers; k++) {
			sum += g->layer[k].band->value[i];
			g->layer[k].top[i] = y_of_bytes(g, sum);
		}
	}
}

/* ---- bands ------------------------------------------------------------------------------- */

/* Each area extends down to the axis, and the next one is drawn over it: no background shows
 * between them, and a band need not know the one below. */
static void draw_band_areas(struct band_graph *g)
{
	uint32_t count = g->b->count;
	struct point *point = xcalloc((size_t)count + 2, sizeof(*point));

	for (int k = g->layers; k-- > 0;) {
		const struct band_layer *layer = &g->layer[k];

		size_t points;

		for (uint32_t i = 0; i < count; i++)
			point[i] = (struct point){ x_of_time(g, g->b->time[i]), layer->top[i] };
		points = clip_to_columns(point, count);
		point[points] = (struct point){ g->right, g->bottom };
		point[points + 1] = (struct point){ g->left, g->bottom };
		drawing_tip(g->d, layer->name);
		drawing_polygon(g->d, point, points + 2, layer->color);
		drawing_tip(g->d, NULL);
		drawing_polyline(g->d, point, points, 0.7, g->theme->plot);
	}
	free(point);
}

/* Returns the last sample that is not to the right of X, but never the last of all. */
static uint32_t find_sample_at(const struct band_graph *g, double x)
{
	uint32_t low = 0, high = g->b->count - 1;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (x_of_time(g, g->b->time[middle]) <= x)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static double layer_top_at(const struct band_graph *g, int layer, double x)
{
	const struct bands *b = g->b;
	uint32_t low, high;
	double from, to;

	if (layer < 0)
		return g->bottom;
	low = find_sample_at(g, x);
	high = low + 1;
	from = x_of_time(g, b->time[low]);
	to = x_of_time(g, b->time[high]);
	return g->layer[layer].top[low] +
	       (to > from ? fmin(fmax((x - from) / (to - from), 0), 1) : 1) *
	       (g->layer[layer].top[high] - g->layer[layer].top[low]);
}

/* Measures the height that a band has free from FROM to TO: the band is lowest at a sample or an
 * end. */
static void measure_free_room(const struct band_graph *g, int layer, double from, double to,
			      double *upper, double *lower)
{
	*upper = fmax(layer_top_at(g, layer, from), layer_top_at(g, layer, to));
	*lower = fmin(layer_top_at(g, layer - 1, from), layer_top_at(g, layer - 1, to));
	for (uint32_t i = find_sample_at(g, from); i < g->b->count; i++) {
		double x = x_of_time(g, g->b->time[i]);

		if (x >= to)
			break;
		if (x <= from)
			continue;
		*upper = fmax(*upper, g->layer[layer].top[i]);
		*lower = fmin(*lower, layer ? g->layer[layer - 1].top[i] : g->bottom);
	}
}

/* Looks for the highest free area of WIDTH x HEIGHT within a band, off the line of the peak.
 * Returns whether there is one, with its middle. */
static bool find_label_room(const struct band_graph *g, int layer, double width, double height,
			    struct point *middle)
{
	enum { PROBES = 240 };
	double best = height, range = g->right - g->left - width;
	double peak = x_of_time(g, g->b->peak_time);

	if (range <= 0)
		return false;
	for (int i = 0; i <= PROBES; i++) {
		double x = g->left + range * i / PROBES, upper, lower;

		if (x < peak + 3 && x + width > peak - 3)
			continue;
		measure_free_room(g, layer, x, x + width, &upper, &lower);
		if (lower - upper > best) {
			best = lower - upper;
			*middle = (struct point){ x + width / 2, (lower + upper) / 2 };
		}
	}
	return best > height;
}

/* Draws the name without its file where the band has room for it, else its number. */
static void draw_band_names(struct band_graph *g)
{
	for (int k = 0; k < g->layers; k++) {
		const struct band_layer *layer = &g->layer[k];
		struct text_style style = { .size = 11 * g->scale, .anchor = TEXT_MIDDLE,
					    .color = theme_ink(layer->color) };
		const char *file = strstr(layer->name, " (");
		char text[LABEL + 8];
		struct point middle;

		snprintf(text, sizeof(text), "%s%s%.*s", layer->mark, *layer->mark ? "  " : "",
			 file ? (int)fmin((double)(file - layer->name), 60) : 60, layer->name);
		if (!find_label_room(g, k, drawing_text_width(&style, text) + 10, style.size * 1.5,
				     &middle)) {
			if (!*layer->mark ||
			    !find_label_room(g, k, drawing_text_width(&style, layer->mark) + 6,
					     style.size * 1.1, &middle))
				continue;
			snprintf(text, sizeof(text), "%s", layer->mark);
		}
		drawing_text(g->d, middle.x, middle.y + style.size * 0.36, &style, text);
	}
}

/* ---- axes -------------------------------------------------------------------------------- */

/* Returns the unit of an axis, with its name, in which END has about three digits. */
static double choose_axis_unit(enum massif_unit unit, double end, const char **name)
{
	static const struct { double size; const char *name; } times[] = {
		{ 3600000, "h" }, { 60000, "min" }, { 1000, "s" }, { 1, "ms" },
	}, binary[] = {
		{ 1099511627776.0, "TiB" }, { 1073741824, "GiB" }, { 1048576, "MiB" },
		{ 1024, "KiB" }, { 1, "bytes" },
	}, counts[] = {
		{ 1e12, "T instructions" }, { 1e9, "G instructions" }, { 1e6, "M instructions" },
		{ 1e3, "k instructions" }, { 1, "instructions" },
	};
	int i = 0;

	switch (unit) {
	case MASSIF_MS:
		while (i < 3 && end < times[i].size * (i < 2 ? 3 : 1))
			i++;
		*name = times[i].name;
		return times[i].size;
	case MASSIF_BYTES:
		while (i < 4 && end < binary[i].size)
			i++;
		*name = binary[i].name;
		return binary[i].size;
	default:
		while (i < 4 && end < counts[i].size)
			i++;
		*name = counts[i].name;
		return counts[i].size;
	}
}

static void draw_y_axis(struct band_graph *g)
{
	const struct text_style style = { .size = 11 * g->scale, .color = g->theme->dim,
					  .anchor = TEXT_END };
	const char *name;
	double unit = choose_axis_unit(MASSIF_BYTES, g->y_end, &name);
	char text[LABEL];

	for (double at = 0; at <= g->y_end * 1.0001; at += g->y_step) {
		double y = floor(y_of_bytes(g, at)) + 0.5;

		if (at > 0)
			drawing_line(g->d, (struct point){ g->left, y },
				     (struct point){ g->right, y }, 1, g->theme->grid);
		snprintf(text, sizeof(text), "%.4g", at / unit);
		drawing_text(g->d, g->left - 6 * g->scale, y + style.size * 0.36, &style, text);
	}
	drawing_text(g->d, g->left - 6 * g->scale, g->top - 8 * g->scale, &style, name);
}

static void draw_x_axis(struct band_graph *g)
{
	const struct bands *b = g->b;
	const struct text_style style = { .size = 11 * g->scale, .color = g->theme->dim,
					  .anchor = TEXT_MIDDLE };
	double first = b->time[0], range = b->time[b->count - 1] - first;
	double base = g->bottom + 8 * g->scale, step;
	int most;
	const char *name;
	double unit = choose_axis_unit(b->unit, range, &name);
	const struct text_style end = { .size = style.size, .color = style.color,
					.anchor = TEXT_END };
	char text[LABEL];

	most = count_marks(g->right - g->left, 60 * g->scale, MARKS_X);
	step = round_axis_step(range / unit, most, 0.001) * unit;
	for (double at = 0; at <= range * 1.0001 && range > 0; at += step) {
		double x = floor(x_of_time(g, first + at)) + 0.5;

		drawing_line(g->d, (struct point){ x, g->bottom },
			     (struct point){ x, base }, 1, g->theme->axis);
		snprintf(text, sizeof(text), "%.4g", at / unit);
		x = fmin(x, g->d->width - drawing_text_width(&style, text) / 2);
		drawing_text(g->d, x, base + style.size * 1.15, &style, text);
	}
	snprintf(text, sizeof(text), b->unit == MASSIF_BYTES ? "%s allocated and freed" :
		 b->unit == MASSIF_MS ? "time in %s" : "%s", name);
	drawing_text(g->d, g->right, base + style.size * 2.6, &end, text);
}

/* Marks the samples by triangles, which are narrow where samples are dense. */
static void draw_sample_marks(struct band_graph *g)
{
	const struct bands *b = g->b;
	double spacing = (g->right - g->left) / b->count;
	double half = fmin(fmax(spacing * 0.45, 1.2), 4) * g->scale, last = -100;

	for (uint32_t i = 0; i < b->count; i++) {
		double x = x_of_time(g, b->time[i]);
		const struct point p[] = { { x - half, g->bottom + 1 }, { x + half, g->bottom + 1 },
					   { x, g->bottom + 1 + 5 * g->scale } };
		const struct point edge[] = { p[0], p[1], p[2], p[0] };

		if (x - last < half / 2)
			continue;
		last = x;
		drawing_polygon(g->d, p, 3, g->theme->background);
		drawing_polyline(g->d, edge, 4, 0.8, g->theme->dim);
	}
}

/* ---- around it --------------------------------------------------------------------------- */

/* Names what the sum has beyond the heap peak: ", 54.0 MiB with rounding, admin and stacks". */
static void name_whole_sum(const struct bands *b, char text[LABEL])
{
	char peak[UNITS_LENGTH];

	text[0] = '\0';
	if (b->peak > b->heap_peak)
		snprintf(text, LABEL, ", %s with %s%s%s", units_bytes(peak, units_whole(b->peak)),
			 b->admin.peak > 0 ? "rounding and admin" : "",
			 b->admin.peak > 0 && b->stacks.peak > 0 ? " and " : "",
			 b->stacks.peak > 0 ? "stacks" : "");
}

/* "23.4 MiB on average, heap peak 53.1 MiB, 54.0 MiB with stacks; 12 places, 76 snapshots" */
static void draw_title_lines(struct band_graph *g, const char *title)
{
	struct text_style style = { .size = 15 * g->scale, .color = g->theme->text,
				    .is_bold = true };
	double edge = 14 * g->scale, room = g->d->width - 2 * edge;
	double end = g->b->count > 0 ? g->b->time[g->b->count - 1] : 0;
	char text[240], average[UNITS_LENGTH], peak[UNITS_LENGTH], whole[LABEL], *fit;
	char estimate[UNITS_LENGTH + 48] = "", every[UNITS_LENGTH];

	fit = drawing_text_fit(&style, title ? title : "Memory by place", room, true);
	drawing_text(g->d, edge, edge + style.size * 0.8, &style, fit);
	free(fit);
	style = (struct text_style){ .size = 11.5 * g->scale, .color = g->theme->dim };
	units_bytes(average, end > 0 ? units_whole(g->b->area / end) : 0);
	units_bytes(peak, units_whole(g->b->heap_peak));
	name_whole_sum(g->b, whole);
	if (g->b->distance > 0)
		snprintf(estimate, sizeof(estimate), "; estimates: a block in %s was sampled",
			 units_bytes(every, units_whole(g->b->distance)));
	snprintf(text, sizeof(text), "%s on average, heap peak %s%s; %u place%s, %u snapshots%s",
		 average, peak, whole, g->b->places, g->b->places == 1 ? "" : "s", g->b->count,
		 estimate);
	fit = drawing_text_fit(&style, text, room, false);
	drawing_text(g->d, edge, edge + 15 * g->scale + style.size * 1.3, &style, fit);
	free(fit);
}

static void draw_peak_line(struct band_graph *g)
{
	struct text_style style = { .size = 11 * g->scale, .color = g->theme->accent,
				    .is_bold = true };
	double x = x_of_time(g, g->b->peak_time), y = y_of_bytes(g, g->b->peak);
	char peak[UNITS_LENGTH], text[LABEL];
	double width;

	snprintf(text, sizeof(text), g->b->peak > g->b->heap_peak ? "%s in all" : "peak %s",
		 units_bytes(peak, units_whole(g->b->peak)));
	width = drawing_text_width(&style, text) / 2;
	drawing_line(g->d, (struct point){ x, y }, (struct point){ x, g->bottom }, 3,
		     g->theme->plot);
	drawing_dashes(g->d, (struct point){ x, y }, (struct point){ x, g->bottom }, 1.4,
		       4 * g->scale, g->theme->accent);
	if (!g->has_labels || 2 * width > g->right - g->left)
		return;
	style.anchor = TEXT_MIDDLE;
	x = fmin(fmax(x, g->left + width), g->right - width);
	drawing_text(g->d, x, fmin(y - 5 * g->scale, g->bottom), &style, text);
}

static void draw_key_row(const struct band_graph *g, const struct band_layer *layer, double y,
			 double height)
{
	double size = fmin(11 * g->scale, height * 0.8), box = fmin(15 * g->scale, height - 2);
	const struct text_style name = { .size = size, .color = g->theme->text };
	const struct text_style share = { .size = size, .color = g->theme->dim,
					  .anchor = TEXT_END };
	const struct text_style mark = { .size = fmin(9 * g->scale, box * 0.75),
					 .color = theme_ink(layer->color),
					 .anchor = TEXT_MIDDLE };
	double middle = y + height / 2, right = g->d->width - 14 * g->scale, left;
	char text[LABEL], *fit;

	drawing_tip(g->d, layer->name);
	drawing_rectangle(g->d, floor(g->key), floor(middle - box / 2), ceil(box), ceil(box),
			  layer->color);
	drawing_tip(g->d, NULL);
	drawing_text(g->d, floor(g->key) + ceil(box) / 2, middle + mark.size * 0.36, &mark,
		     layer->mark);
	snprintf(text, sizeof(text), "%.1f%%",
		 g->b->area > 0 ? layer->band->area * 100 / g->b->area : 0);
	drawing_text(g->d, right, middle + size * 0.36, &share, text);
	left = g->key + box + 7 * g->scale;
	right -= drawing_text_width(&share, "100.0%") + 8 * g->scale;
	fit = drawing_text_fit(&name, layer->name, right - left, true);
	drawing_text(g->d, left, middle + size * 0.36, &name, fit);
	free(fit);
}

/* The rows have the order of the bands, from the top down. */
static void draw_key_table(struct band_graph *g)
{
	const struct text_style head = { .size = 11 * g->scale, .color = g->theme->dim };
	const struct text_style share = { .size = head.size, .color = head.color,
					  .anchor = TEXT_END };
	double height = fmin(21 * g->scale, (g->bottom - g->top) / fmax(g->layers, 1));

	drawing_text(g->d, g->key, g->top - 8 * g->scale, &head, "allocated by");
	drawing_text(g->d, g->d->width - 14 * g->scale, g->top - 8 * g->scale, &share,
		     "bytes \xc3\x97 time");
	for (int i = 0; i < g->layers; i++)
		draw_key_row(g, &g->layer[g->layers - 1 - i], g->top + i * height, height);
}

static void compute_geometry(struct band_graph *g)
{
	double width = g->d->width, height = g->d->height;
	double scale = pow(fmin(width / 800, height / 600), 0.75), key;

	g->scale = fmin(fmax(scale, 0.6), 3);
	key = fmin(fmax(0.34 * width, 130 * g->scale), 360 * g->scale);
	g->has_key = width >= KEY_LEAST_WIDTH && height >= TITLE_LEAST_HEIGHT;
	g->has_title = height >= TITLE_LEAST_HEIGHT && width >= LABELS_LEAST_WIDTH;
	g->has_labels = height >= LABELS_LEAST_HEIGHT && width >= LABELS_LEAST_WIDTH;
	g->left = g->has_labels ? floor(52 * g->scale) : EDGE;
	g->top = g->has_title ? floor(80 * g->scale) : g->has_labels ? floor(24 * g->scale) : EDGE;
	g->bottom = floor(height - (g->has_labels ? 46 * g->scale : EDGE));
	g->right = floor(width - (g->has_key ? key + 18 * g->scale : 2 * EDGE));
	g->key = width - key;
}

void bandgraph_draw(struct drawing *d, const struct bands *b, const struct theme *theme,
		    const char *title)
{
	struct band_graph g = { .d = d, .b = b, .theme = theme };

	compute_geometry(&g);
	list_layers(&g);
	set_y_scale(&g);
	compute_layer_tops(&g);
	drawing_rectangle(d, g.left, g.top, g.right - g.left, g.bottom - g.top, theme->plot);
	if (g.has_title)
		draw_title_lines(&g, title);
	if (g.has_labels)
		draw_y_axis(&g);
	draw_band_areas(&g);
	draw_band_names(&g);
	draw_peak_line(&g);
	drawing_rectangle(d, g.left, g.bottom, g.right - g.left, 1, theme->axis);
	draw_sample_marks(&g);
	if (g.has_labels)
		draw_x_axis(&g);
	if (g.has_key)
		draw_key_table(&g);
	for (int i = 0; i < g.layers; i++)
		free(g.layer[i].top);
}
