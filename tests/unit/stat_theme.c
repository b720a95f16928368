/* stat_theme.c -- Texts are legible, and colours of the series differ for every kind of eyes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/theme.h"

#include <math.h>

#include "tests/lib/tap.h"

/* How the linear channels look to normal eyes and to those without one kind of cones.
 * Source Machado, Oliveira, Fernandes, 2009, severity 1. */
static const double views[4][3][3] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	{ { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 },
	  { -0.003882, -0.048116, 1.051998 } },
	{ { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 },
	  { -0.011820, 0.042940, 0.968881 } },
	{ { 1.255528, -0.076749, -0.178779 }, { -0.078411, 0.930809, 0.147602 },
	  { 0.004733, 0.691367, 0.303900 } },
};

static double lab_of(double value)
{
	return value > 0.008856 ? cbrt(value) : 7.787 * value + 16.0 / 116;
}

static void lab(uint32_t color, int view, double out[3])
{
	double linear[3], seen[3], x, y, z;

	for (int i = 0; i < 3; i++) {
		double value = (color >> (16 - 8 * i) & 0xff) / 255.0;

		linear[i] = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
	}
	for (int i = 0; i < 3; i++)
		seen[i] = views[view][i][0] * linear[0] + views[view][i][1] * linear[1] +
			  views[view][i][2] * linear[2];
	x = lab_of(fmax(0, 0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.95047);
	y = lab_of(fmax(0, 0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]));
	z = lab_of(fmax(0, 0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.08883);
	out[0] = 116 * y - 16, out[1] = 500 * (x - y), out[2] = 200 * (y - z);
}

/* As whoever sees it least sees it. */
static double difference(uint32_t a, uint32_t b)
{
	double least = 1000;

	for (int view = 0; view < 4; view++) {
		double p[3], q[3];

		lab(a, view, p);
		lab(b, view, q);
		least = fmin(least, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
	}
	return least;
}

static void test_series(const struct theme *t)
{
	double any = 1000, neighbours = 1000;

	for (int i = 0; i < THEME_SERIES; i++) {
		for (int k = 0; k < i; k++)
			any = fmin(any, difference(t->series[i], t->series[k]));
		if (i > 0)
			neighbours = fmin(neighbours, difference(t->series[i], t->series[i - 1]));
	}
	OK(any >= 12, "%s: any two colours differ by %.1f", t->name, any);
	OK(neighbours >= 30, "%s: neighbours differ by %.1f", t->name, neighbours);
}

static void test_theme(const struct theme *t)
{
	OK(theme_contrast(t->text, t->background) >= 7, "%s: texts can be read", t->name);
	OK(theme_contrast(t->dim, t->background) >= 4.5, "%s: labels can be read", t->name);
	OK(theme_contrast(t->accent, t->background) >= 4.5, "%s: the peak can be read", t->name);
	for (int i = 0; i < THEME_SERIES; i++)
		OK(theme_contrast(theme_ink(t->series[i]), t->series[i]) >= 4.5,
		   "%s: texts on colour %d can be read", t->name, i);
	test_series(t);
}

int main(void)
{
	test_theme(theme_find("light"));
	test_theme(theme_find("dark"));
	IS_NULL(theme_find("purple"));
	EQ_U(theme_blend(0xff0080, 0x00ff80, 0.5), 0x808080);
	EQ_U(theme_blend(0x123456, 0xffffff, 1), 0x123456);
	EQ_D(theme_contrast(0, 0xffffff), 21, 0.01);
	return done_testing();
}
