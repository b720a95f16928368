/* theme.c -- The colours of the light and the dark theme.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/theme.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define SERIES { \
	0x1f6a96, 0xf9d46b, 0x1dc5ae, 0x783818, 0xa0b751, 0x61f3db, 0x205943, 0xceb6fc, \
	0x9d4616, 0x31a5a5, 0xb18e15, 0x5d74c7, 0xb65577, 0x96f0aa, 0xd98cd2, 0x722c6e, \
	0xf28979, 0xa39ef9, 0x483e90, 0x348f4f }

static const struct theme themes[] = {
	{
		.name = "light",
		.background = 0xffffff, .plot = 0xf7f8fa,
		.text = 0x1b1f24, .dim = 0x57606a, .grid = 0xdde1e6, .axis = 0x57606a,
		.accent = 0xc0262d,
		.other = 0xb9bec5, .admin = 0x8d949d, .stacks = 0x5f6770,
		.series = SERIES,
	}, {
		.name = "dark",
		.background = 0x14171c, .plot = 0x1b2027,
		.text = 0xeef1f5, .dim = 0xa9b3bf, .grid = 0x313842, .axis = 0xa9b3bf,
		.accent = 0xff7b72,
		.other = 0x6a727c, .admin = 0x878f99, .stacks = 0xa7afb8,
		.series = SERIES,
	},
};

const struct theme *theme_find(const char *name)
{
	for (size_t i = 0; i < sizeof(themes) / sizeof(*themes); i++) {
		if (strcmp(themes[i].name, name) == 0)
			return &themes[i];
	}
	return NULL;
}

static double color_channel(uint32_t color, int shift)
{
	return (double)(color >> shift & 0xff);
}

uint32_t theme_blend(uint32_t a, uint32_t b, double share)
{
	uint32_t result = 0;

	for (int shift = 0; shift <= 16; shift += 8) {
		double value = color_channel(a, shift) * share +
			       color_channel(b, shift) * (1 - share);

		result |= (uint32_t)lround(value) << shift;
	}
	return result;
}

static double linear_channel(uint32_t color, int shift)
{
	double value = color_channel(color, shift) / 255;

	return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double relative_luminance(uint32_t color)
{
	return 0.2126 * linear_channel(color, 16) + 0.7152 * linear_channel(color, 8) +
	       0.0722 * linear_channel(color, 0);
}

double theme_contrast(uint32_t a, uint32_t b)
{
	double x = relative_luminance(a), y = relative_luminance(b);

	return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

uint32_t theme_ink(uint32_t color)
{
	return theme_contrast(color, 0xffffff) > theme_contrast(color, 0x000000) ? 0xffffff :
										   0x000000;
}
