/* theme.h -- The colours of the light and the dark theme.
 *
 * Any two of the series' colours differ by 12 and more in CIE Lab, neighbours by 30 and more, also
 * for people with any of the common colour blindnesses; tests/unit/stat_theme.c checks it. All the
 * same, no picture says anything by colour alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

enum { THEME_SERIES = 20 };

/* Colours are 0xRRGGBB. */
struct theme {
	const char *name;
	uint32_t background;	/* of the whole picture */
	uint32_t plot;		/* of the area within the axes */
	uint32_t text;		/* contrast of at least 7 to the background */
	uint32_t dim;		/* of labels: at least 4.5 */
	uint32_t grid, axis;
	uint32_t accent;	/* draws the eye: the peak */
	uint32_t other, admin, stacks;	/* memory that belongs to no place */
	uint32_t series[THEME_SERIES];	/* in the order of use */
};

/* theme_find -- Returns the theme called NAME, "light" or "dark"; NULL if there is none. */
const struct theme *theme_find(const char *name);

/* theme_blend -- Mixes SHARE (0 to 1) of A with the rest of B. */
uint32_t theme_blend(uint32_t a, uint32_t b, double share);

/* theme_contrast -- Returns the contrast of two colours, 1 to 21.
 *
 * Source WCAG 2.1, "contrast ratio".
 */
double theme_contrast(uint32_t a, uint32_t b);

/* theme_ink -- Returns black or white, whichever has more contrast to COLOR. */
uint32_t theme_ink(uint32_t color);
