/* histogram.c -- Draws how many blocks of each size a program asked for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/histogram.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/units.h"
#include "memusagestat/chart.h"

enum {
	CLASSES = 32, ROW = 22, TEXT = 12, MARGIN = 16,
	USUAL_WIDTH = 800, USUAL_HEIGHT = 700,
	LABEL_WIDTH = 120, FIGURES_WIDTH = 130,
	/* A picture narrower than this has no labels, or no figures. */
	LABELS_LEAST = 220, FIGURES_LEAST = 400,
};

/* Requests of at least LOW and less than HIGH bytes. */
struct size_class {
	uint64_t low, high;	/* high 0: no limit */
	uint64_t count;
};

/* Classes are 16 bytes wide below 128, then powers of two. */
static int count_size_classes(const struct counters *c, struct size_class *list)
{
	int count = 0;
	uint64_t low = 0;

	while (low < MU_HIST_BUCKETS * MU_HIST_STEP) {
		uint64_t high = low < 128 ? low + 16 : low * 2;
		struct size_class s = { .low = low, .high = high };

		for (uint64_t i = low / MU_HIST_STEP; i < high / MU_HIST_STEP; i++)
			s.count += c->hist[i];
		list[count++] = s;
		low = high;
	}
	list[count++] = (struct size_class){ .low = low, .count = c->hist_large };
	return count;
}

static void format_class_label(const struct size_class *s, char text[2 * CHART_LABEL + 8])
{
	char low[CHART_LABEL], high[CHART_LABEL];

	if (s->high == 0)
		snprintf(text, 2 * CHART_LABEL + 8, "%s and more",
			 chart_bytes(low, (double)s->low, NULL));
	else if (s->high <= 1024)
		snprintf(text, 2 * CHART_LABEL + 8, "%" PRIu64 " to %" PRIu64 " B", s->low,
			 s->high - 1);
	else
		snprintf(text, 2 * CHART_LABEL + 8, "%" PRIu64 " to %s", s->low / 1024,
			 chart_bytes(high, (double)s->high, NULL));
}

/* Rows that are too low for a text show bars only. */
static void draw_class_bar(struct drawing *d, const struct theme *theme, const struct size_class *s,
			   double y, double row, double share, double of_most)
{
	const bool has_texts = row >= TEXT + 1;
	const bool has_labels = has_texts && d->width >= LABELS_LEAST;
	const bool has_figures = has_texts && d->width >= FIGURES_LEAST;
	const struct text_style label = { .size = TEXT, .color = theme->text, .anchor = TEXT_END };
	const struct text_style dim = { .size = TEXT, .color = theme->dim };
	const double left = MARGIN + (has_labels ? LABEL_WIDTH : 0);
	const double room = d->width - left - MARGIN - (has_figures ? FIGURES_WIDTH : 0);
	char text[2 * CHART_LABEL + 8], number[UNITS_LENGTH];

	format_class_label(s, text);
	if (has_labels)
		drawing_text(d, left - 10, y + row / 2 + TEXT * 0.35, &label, text);
	drawing_rectangle(d, left, y + row * 0.12, fmax(room * of_most, s->count ? 1 : 0),
			  row * 0.76, chart_color(theme, 0));
	if (s->count == 0)
		snprintf(text, sizeof(text), "none");
	else
		snprintf(text, sizeof(text), "%s  %s%.1f %%", units_grouped(number, s->count),
			 share < 0.0005 ? "<" : "", share < 0.0005 ? 0.1 : share * 100);
	if (has_figures)
		drawing_text(d, left + room * of_most + 8, y + row / 2 + TEXT * 0.35, &dim, text);
}

void histogram_draw(struct drawing *d, const struct counters *c, const struct theme *theme,
		    const char *title, struct point size)
{
	struct size_class list[CLASSES];
	int count = count_size_classes(c, list), first = 0;
	uint64_t all = 0, most = 1;
	char number[UNITS_LENGTH], subtitle[120];
	double y, row, scale;

	while (count > 1 && list[count - 1].count == 0)
		count--;
	while (first + 1 < count && list[first].count == 0)
		first++;
	for (int i = first; i < count; i++) {
		all += list[i].count;
		most = list[i].count > most ? list[i].count : most;
	}
	scale = drawing_scale(size, (struct point){ USUAL_WIDTH, USUAL_HEIGHT });
	if (size.y <= 0)
		size.y = (66 + (count - first) * ROW + MARGIN / 2) * scale;
	drawing_init_scaled(d, size, scale, theme->background);
	snprintf(subtitle, sizeof(subtitle), "%s requests by size",
		 units_grouped(number, all));
	y = fmax(chart_title(d, theme, title, subtitle), MARGIN / 2);
	row = (d->height - y - MARGIN / 2) / (count - first);
	for (int i = first; i < count; i++)
		draw_class_bar(d, theme, &list[i], y + (i - first) * row, row,
			       all ? (double)list[i].count / (double)all : 0,
			       (double)list[i].count / (double)most);
}
