/* png.h -- Writes a picture as a PNG file with texts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gd.h>

#include "cli/output.h"

/* A text chunk. Both are UTF-8; the keyword is 1 to 79 characters of Latin-1. */
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

/* png_write -- Writes IMAGE, a palette image of at most 16 colours.
 *
 * notes  COUNT text chunks.
 * Errors of writing stay in OUT, for output_close(); dies without memory.
 * The file is what glibc's memusagestat writes through libgd (4 bits per pixel, colour 0
 * transparent, 3780 pixels per metre, no filter), plus the texts.
 */
void png_write(struct output *out, gdImagePtr image, const struct png_note *notes, int count);

/* png_write_rgb -- Writes IMAGE as 8 bits per channel without alpha, otherwise as png_write(). */
void png_write_rgb(struct output *out, const struct png_pixels *image,
		   const struct png_note *notes, int count);
