/* stat_flame_colors.c -- hues go by the widest box, run-times are grey, and all is as in the page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/flame_colors.h"

#include <stdlib.h>

#include "tests/lib/tap.h"

static struct page_tree tree;

static uint32_t add_place(const char *function, const char *object, uint32_t flags)
{
	const struct page_place p = {
		.function = page_tree_text(&tree, function),
		.object = page_tree_text(&tree, object),
		.flags = flags,
	};

	return page_tree_place(&tree, &p);
}

/* Four calls, of which the run-time's is widest; the last one is of code made at run time. */
static void colors_of(bool is_dark, uint32_t color[4])
{
	const uint32_t place[] = { add_place("r", "librt.so", PAGE_RUNTIME),
				   add_place("f", "b.so", 0), add_place("f", "a.so", 0),
				   add_place("py::f:a.py", "", 0) };
	uint32_t a = page_tree_child(&tree, 0, place[0]), b = page_tree_child(&tree, a, place[1]);
	const int64_t sum[] = { 100, 100, 60, 40, 10 };
	struct flame_colors c;

	page_tree_child(&tree, page_tree_child(&tree, b, place[2]), place[3]);
	flame_colors_init(&c, &tree, sum, is_dark);
	for (int i = 0; i < 4; i++)
		color[i] = flame_colors_of(&c, &tree.place[place[i]]);
	flame_colors_free(&c);
}

static bool is_grey(uint32_t color)
{
	int red = color >> 16, green = color >> 8 & 0xff, blue = color & 0xff;

	return abs(red - green) < 8 && abs(green - blue) < 8;
}

int main(void)
{
	uint32_t light[4], dark[4];

	page_tree_init(&tree);
	colors_of(false, light);
	colors_of(true, dark);
	EQ_U(light[1], 0xa7c6f1); /* the widest: hsl(215 72% 80%) */
	EQ_U(light[2], 0xf1caa7); /* the next one: hsl(28 72% 80%) */
	OK(is_grey(light[0]) && is_grey(dark[0]), "a run-time is grey");
	OK(!is_grey(light[3]) && !is_grey(dark[3]), "code made at run time has a hue");
	EQ_U(dark[1], 0x274268); /* hsl(215 45% 28%) */
	page_tree_free(&tree);
	return done_testing();
}
