/* png.h -- write a picture as a PNG file that says what it shows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_DRAWING_PNG_H
#define MEMUSAGESTAT_DRAWING_PNG_H

#include <gd.h>

#include "cli/output.h"

/* A text chunk. Both are UTF-8; keyword 1 to 79 characters of Latin-1. */
struct png_note {
	const char *keyword;
	const char *text;	/* NULL: the chunk is left out */
};

/* Rows of 0xRRGGBB, 32 bits each, in the byte order of the machine. */
struct png_pixels {
	const unsigned char *pixel;
	unsigned int width, height;
	size_t stride;		/* bytes from one row to the next */
};

/* png_write -- write IMAGE, a palette image of at most 16 colours.
 *
 * notes  `count` text chunks.
 * Errors of writing stay in OUT, for output_close(); out of memory dies.
 * The file has 4 bits per pixel, colour 0 transparent, 3780 pixels per metre, no filter: what
 * glibc's memusagestat (libgd) writes, plus the texts.
 */
void png_write(struct output *out, gdImagePtr image, const struct png_note *notes, int count);

/* png_write_rgb -- write IMAGE as 8 bits per channel without alpha, else as png_write() does. */
void png_write_rgb(struct output *out, const struct png_pixels *image,
		   const struct png_note *notes, int count);

#endif
