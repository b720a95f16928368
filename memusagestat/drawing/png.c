/* png.c -- Writes a picture as a PNG file with texts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/png.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/message.h"
#include "formats/base/utf8.h"

enum { PIXELS_PER_METRE = 3780 };	/* 96 dots per inch */

static void die_of_libpng(png_structp png, png_const_charp why)
{
	die("cannot make the picture: %s", why);
}

static void ignore_warning(png_structp png, png_const_charp why)
{
}

/* The stream keeps its error for output_close(). */
static void write_bytes(png_structp png, png_bytep data, size_t size)
{
	fwrite(data, 1, size, png_get_io_ptr(png));
}

static void flush_nothing(png_structp png)
{
}

static void set_png_palette(png_structp png, png_infop info, gdImagePtr image)
{
	static const png_byte transparent[] = { 0 };
	png_color palette[16];

	for (int i = 0; i < gdImageColorsTotal(image); i++) {
		palette[i].red = (png_byte)gdImageRed(image, i);
		palette[i].green = (png_byte)gdImageGreen(image, i);
		palette[i].blue = (png_byte)gdImageBlue(image, i);
	}
	png_set_PLTE(png, info, palette, gdImageColorsTotal(image));
	png_set_tRNS(png, info, transparent, 1, NULL);
}

/* Returns whether a text is UTF-8 with characters beyond ASCII. */
static bool needs_utf8_chunk(const char *text)
{
	bool has_more = false;
	int length;
	uint32_t code;

	for (; *text; text += length) {
		length = utf8_next(text, &code);
		if (length == 0)
			return false;
		has_more |= length > 1;
	}
	return has_more;
}

/* More programs read tEXt, but that is Latin-1. libpng does not write to the strings. */
static void set_text_chunk(png_structp png, png_infop info, const struct png_note *note)
{
	bool is_utf8 = needs_utf8_chunk(note->text);
	png_text text = {
		.compression = is_utf8 ? PNG_ITXT_COMPRESSION_NONE : PNG_TEXT_COMPRESSION_NONE,
		.key = (char *)(uintptr_t)note->keyword,
		.text = (char *)(uintptr_t)note->text,
		.text_length = is_utf8 ? 0 : strlen(note->text),
		.itxt_length = is_utf8 ? strlen(note->text) : 0,
	};

	png_set_text(png, info, &text, 1);
}

static png_structp begin_png_file(struct output *out, png_infop *info)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, die_of_libpng,
						  ignore_warning);

	*info = png ? png_create_info_struct(png) : NULL;
	if (!*info)
		die("cannot make the picture: out of memory");
	png_set_write_fn(png, out->stream, write_bytes, flush_nothing);
	return png;
}

/* The longest side is below 2^15, which is within all limits of libpng. */
static void set_png_header(png_structp png, png_infop info, unsigned int width, unsigned int height,
			   int bits, int type)
{
	png_set_IHDR(png, info, width, height, bits, type, PNG_INTERLACE_NONE,
		     PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
}

static void write_png_info(png_structp png, png_infop info, const struct png_note *notes, int count)
{
	png_set_pHYs(png, info, PIXELS_PER_METRE, PIXELS_PER_METRE, PNG_RESOLUTION_METER);
	for (int i = 0; i < count; i++) {
		if (notes[i].text)
			set_text_chunk(png, info, &notes[i]);
	}
	png_write_info(png, info);
}

static void end_png_file(struct output *out, png_structp png, png_infop info)
{
	if (!output_failed(out))
		png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
}

void png_write(struct output *out, gdImagePtr image, const struct png_note *notes, int count)
{
	png_infop info;
	png_structp png = begin_png_file(out, &info);

	png_set_filter(png, 0, PNG_FILTER_NONE);
	set_png_header(png, info, (unsigned int)gdImageSX(image), (unsigned int)gdImageSY(image), 4,
		       PNG_COLOR_TYPE_PALETTE);
	set_png_palette(png, info, image);
	write_png_info(png, info, notes, count);
	png_set_packing(png);
	for (int y = 0; y < gdImageSY(image) && !output_failed(out); y++)
		png_write_row(png, image->pixels[y]);
	end_png_file(out, png, info);
}

void png_write_rgb(struct output *out, const struct png_pixels *image,
		   const struct png_note *notes, int count)
{
	png_infop info;
	png_structp png = begin_png_file(out, &info);

	/* Filters for photographs take longer and make areas of one colour larger. */
	png_set_filter(png, 0, PNG_FILTER_UP);
	set_png_header(png, info, image->width, image->height, 8, PNG_COLOR_TYPE_RGB);
	write_png_info(png, info, notes, count);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		png_set_bgr(png);
	png_set_filler(png, 0, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? PNG_FILLER_AFTER :
									   PNG_FILLER_BEFORE);
	for (unsigned int y = 0; y < image->height && !output_failed(out); y++)
		png_write_row(png, image->pixel + y * image->stride);
	end_png_file(out, png, info);
}
