/* flame_colors.c -- The colours of a flame graph's boxes, which are those of the HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/flame_colors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

/* In degrees, in the order of use. */
static const unsigned int hues[] = { 215, 28, 150, 325, 265, 185, 52, 0, 100 };
enum { HUES = sizeof(hues) / sizeof(*hues) };

struct ranked_object {
	const char *name;
	uint32_t text;
	int64_t widest;
};

static uint32_t object_text(const struct page_place *p)
{
	return p->object ? p->object : p->file;
}

/* A function without an object is code that was made at run time: its text is "", number 0. */
static bool has_hue(const struct page_place *p)
{
	return (object_text(p) != 0 || p->function != 0) &&
	       !(p->flags & (PAGE_RUNTIME | PAGE_MERGED));
}

static int compare_objects(const void *a, const void *b)
{
	const struct ranked_object *x = a, *y = b;

	return x->widest != y->widest ? (x->widest < y->widest ? 1 : -1) :
					strcmp(x->name, y->name);
}

void flame_colors_init(struct flame_colors *c, const struct page_tree *tree, const int64_t *sum,
		       bool is_dark)
{
	const size_t texts = (size_t)tree->strings.count + 1;
	struct ranked_object *object = xcalloc(texts, sizeof(*object));

	*c = (struct flame_colors){ .tree = tree, .is_dark = is_dark };
	c->rank = xcalloc(texts, sizeof(*c->rank));
	for (size_t i = 0; i < texts; i++)
		object[i] = (struct ranked_object){ "", (uint32_t)i, -1 };
	for (uint32_t i = 1; i < tree->node_count; i++) {
		const struct page_place *p = &tree->place[tree->node[i].place];
		struct ranked_object *o = &object[object_text(p)];

		if (!has_hue(p))
			continue;
		o->name = strings_get(&tree->strings, o->text);
		if (sum[i] > o->widest)
			o->widest = sum[i];
	}
	qsort(object, texts, sizeof(*object), compare_objects);
	for (size_t i = 0; i < texts; i++)
		c->rank[object[i].text] = (uint32_t)i;
	free(object);
}

static double hue_channel(double hue, double saturation, double lightness, int offset)
{
	double k = fmod(offset + hue / 30, 12);
	double span = saturation * fmin(lightness, 1 - lightness);

	return lightness - span * fmax(-1, fmin(fmin(k - 3, 9 - k), 1));
}

/* Saturation and lightness are percentages. Source CSS Color 4, "hsl() to rgb". */
static uint32_t color_of_hsl(double hue, double saturation, double lightness)
{
	static const int offsets[] = { 0, 8, 4 };
	uint32_t color = 0;

	for (int i = 0; i < 3; i++) {
		double value = hue_channel(hue, saturation / 100, lightness / 100, offsets[i]);

		color = color << 8 | (uint32_t)lround(value * 255);
	}
	return color;
}

/* The same as in the page, so that a function has one colour. */
static uint32_t hash_name(const char *name)
{
	uint32_t hash = 7;

	for (; *name; name++)
		hash = hash * 31 + (unsigned char)*name;
	return hash;
}

uint32_t flame_colors_of(const struct flame_colors *c, const struct page_place *place)
{
	const struct strings *texts = &c->tree->strings;
	const uint32_t object = object_text(place);
	const char *name = strings_get(texts, place->function ? place->function : object);
	bool is_own = has_hue(place);
	double shade = (double)(hash_name(name) % 9) - 4;
	double hue = hues[c->rank[object] % HUES];

	if (c->is_dark)
		return color_of_hsl(hue, is_own ? 45 : 3, (is_own ? 28 : 25) + shade / 2);
	return color_of_hsl(hue, is_own ? 72 : 5, (is_own ? 80 : 88) + shade);
}

void flame_colors_free(struct flame_colors *c)
{
	free(c->rank);
	c->rank = NULL;
}
