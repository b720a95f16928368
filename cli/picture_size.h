/* picture_size.h -- how large a picture may be: memusage asks before the run, memusagestat draws.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

enum {
	PICTURE_WIDTH = 800,		/* unless something else is asked for */
	PICTURE_HEIGHT = 600,
	PICTURE_SIDE_MAX = 32767,
	PICTURE_PIXELS_MAX = 1 << 26,	/* two bytes of memory for each */
};

/* The message about a larger one: width, height, PICTURE_PIXELS_MAX. */
#define PICTURE_TOO_BIG "a picture of %u x %u pixels is too big: %d at most"
