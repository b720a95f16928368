/* classic_picture.c -- glibc's graph of a data file: frame, scales, texts, and the plot.
 *
 * The geometry is that of glibc's memusagestat, to the pixel: its users compare pictures. The
 * plot leaves 40 pixels left and right, 20 above and below; the heap's scale is on the left,
 * the stack's on the right, time or the number of calls below. Frame, scales, curves, strip and
 * ticks are drawn in this order, and later ones cover earlier ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/classic_picture.h"

#include <gdfontl.h>
#include <gdfonts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "memusagestat/drawing/scale.h"
#include "memusagestat/labels.h"
#include "memusagestat/plot.h"

enum {
	MARGIN_X = 40, MARGIN_Y = 20,
	SMALL_WIDTH = 6,	/* of a character cell */
	LARGE_WIDTH = 8,
};

struct classic_picture {
	gdImagePtr image;
	int width, height;
	int base;		/* y of the axis */
};

/* ---- texts ------------------------------------------------------------------------------- */

/* libgd takes the bytes as unsigned and without const, but does not change them. */
static unsigned char *unsigned_bytes(const char *text)
{
	return (unsigned char *)(uintptr_t)text;
}

static void draw_small_text(struct classic_picture *p, int x, int y, const char *text,
			    enum color color)
{
	gdImageString(p->image, gdFontGetSmall(), x, y, unsigned_bytes(text), color);
}

static void draw_upward_text(struct classic_picture *p, int x, int y, const char *text,
			     enum color color)
{
	gdImageStringUp(p->image, gdFontGetSmall(), x, y, unsigned_bytes(text), color);
}

static void draw_centred_text(struct classic_picture *p, int y, const char *text, enum color color)
{
	int room = p->width - 2 * MARGIN_X - SMALL_WIDTH * (int)strlen(text);

	draw_small_text(p, MARGIN_X + room / 2, y, text, color);
}

static void draw_title_text(struct classic_picture *p, const char *title)
{
	unsigned char *text = label_title(title);
	int length = (int)strnlen((char *)text, 4096);

	text[length] = '\0';
	gdImageString(p->image, gdFontGetLarge(), (p->width - LARGE_WIDTH * length) / 2, 2, text,
		      COLOR_STACK);
	free(text);
}

/* ---- scales ------------------------------------------------------------------------------ */

/* Draws dashes: 3 pixels on at the left, then 4 off and 4 on, repeatedly. */
static void draw_dashed_row(struct classic_picture *p, int y, enum color color)
{
	for (int x = 0; x <= p->width - 2 * MARGIN_X; x++) {
		if (x < 3 || (x - 3) % 8 >= 4)
			gdImageSetPixel(p->image, MARGIN_X + x, y, color);
	}
}

/* Returns the height of the line at QUARTER of TOP above the axis. It is cut to whole units like
 * its label, so that the line is drawn at the value that the label names. */
static int grid_line_height(const struct classic_picture *p, uint64_t top, unsigned quarter)
{
	uint64_t unit = label_unit(top).bytes;
	unsigned rows = (unsigned)(p->height - 2 * MARGIN_Y);

	if (top == 0)
		return 0;
	return (int)scale_divide(top / 4 * quarter / unit, rows, top / unit);
}

static void draw_left_label(struct classic_picture *p, int y, uint64_t value, struct byte_unit unit)
{
	char text[LABEL_LENGTH];
	int length = label_value(text, value, unit);

	draw_small_text(p, MARGIN_X - 1 - SMALL_WIDTH * length, y, text, COLOR_HEAP);
}

static void draw_right_label(struct classic_picture *p, int y, uint64_t value,
			     struct byte_unit unit)
{
	char text[LABEL_LENGTH];

	label_value(text, value, unit);
	draw_small_text(p, p->width - 37, y, text, COLOR_STACK);
}

static void draw_heap_scale(struct classic_picture *p, uint64_t top)
{
	struct byte_unit unit = label_unit(top);
	char zero[LABEL_LENGTH];
	int x = label_value(zero, 0, unit) == 1 ? 32 : 26;

	draw_small_text(p, x, p->height - 26, zero, COLOR_HEAP);
	draw_left_label(p, 14, top, unit);
	draw_upward_text(p, 1, p->height / 2 - 10, "allocated", COLOR_HEAP);
	draw_upward_text(p, 11, p->height / 2 - 10, "memory", COLOR_HEAP);
}

static void draw_stack_scale(struct classic_picture *p, uint64_t top)
{
	struct byte_unit unit = label_unit(top);

	draw_right_label(p, p->height - 26, 0, unit);
	draw_right_label(p, 14, top, unit);
	draw_upward_text(p, p->width - 39, p->height / 2 - 10, "used", COLOR_STACK);
	draw_upward_text(p, p->width - 27, p->height / 2 - 10, "stack", COLOR_STACK);
}

/* A line of the stack is left out where it would cover that of the heap. */
static void draw_grid_lines(struct classic_picture *p, uint64_t heap_top, uint64_t stack_top)
{
	for (unsigned quarter = 1; quarter <= 3; quarter++) {
		int heap = grid_line_height(p, heap_top, quarter);
		int stack = grid_line_height(p, stack_top, quarter);

		if (heap_top > 0) {
			draw_dashed_row(p, p->base - heap, COLOR_HEAP);
			draw_left_label(p, p->height - 26 - heap, heap_top / 4 * quarter,
					label_unit(heap_top));
		}
		if (stack != heap)
			draw_dashed_row(p, p->base - stack, COLOR_STACK);
		draw_right_label(p, p->height - 26 - stack, stack_top / 4 * quarter,
				 label_unit(stack_top));
	}
}

/* ---- below the axis ---------------------------------------------------------------------- */

/* Draws "0" at the left end and TEXT at the right one, moved inwards if it is long. */
static void draw_axis_ends(struct classic_picture *p, const char *text)
{
	int x = p->width - 50, rightmost = p->width - 2 - SMALL_WIDTH * (int)strlen(text);

	draw_small_text(p, MARGIN_X - 2, p->height - 14, "0", COLOR_FRAME);
	draw_small_text(p, x < rightmost ? x : rightmost, p->height - 14, text, COLOR_FRAME);
}

/* Draws the longest of three captions that leaves a third of the plot to the labels. Returns its
 * length. */
static int draw_time_caption(struct classic_picture *p, const struct dat_info *info)
{
	const char *unit = info->is_ns ? label_time_unit(info->end - info->start).name :
					 "% of the run";
	int room = (p->width - 2 * MARGIN_X) * 2 / 3 / SMALL_WIDTH;
	char text[96];

	snprintf(text, sizeof(text), "time in %s, %llu calls", unit,
		 (unsigned long long)info->records);
	if ((int)strlen(text) > room)
		snprintf(text, sizeof(text), "time in %s", unit);
	if ((int)strlen(text) > room)
		text[0] = '\0';
	draw_centred_text(p, p->height - 12, text, COLOR_FRAME);
	return (int)strlen(text);
}

static int format_time_label(char text[LABEL_LENGTH], const struct dat_info *info, unsigned tenths)
{
	if (info->is_ns)
		return label_time(text, info->end - info->start, tenths);
	return snprintf(text, LABEL_LENGTH, "%u", 10 * tenths);
}

/* The labels are at tenths of the run, where bands of the strip begin. Labels that would touch the
 * caption, the one before or the last are left out. */
static void draw_time_scale(struct classic_picture *p, const struct dat_info *info)
{
	int columns = p->width - 2 * MARGIN_X, left = MARGIN_X + 2 * SMALL_WIDTH;
	int caption = SMALL_WIDTH * draw_time_caption(p, info);
	int caption_x = MARGIN_X + (columns - caption) / 2;
	char text[LABEL_LENGTH];

	for (int tenths = 1; tenths <= 9; tenths++) {
		int size = SMALL_WIDTH * format_time_label(text, info, (unsigned)tenths);
		int x = MARGIN_X + columns * tenths / 10 - size / 2;
		bool hits_caption = x < caption_x + caption + 12 && x + size + 12 > caption_x;

		if (x < left || x + size + 12 > p->width - 50 || hits_caption)
			continue;
		draw_small_text(p, x, p->height - 14, text, COLOR_FRAME);
		left = x + size + 12;
	}
	format_time_label(text, info, 10);
	draw_axis_ends(p, text);
}

static void draw_call_scale(struct classic_picture *p, const struct dat_info *info)
{
	char text[LABEL_LENGTH];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)info->records);
	draw_axis_ends(p, text);
	draw_centred_text(p, p->height - 12, "# memory handling function calls", COLOR_FRAME);
}

/* ---- the plot ---------------------------------------------------------------------------- */

static void copy_plot_pixels(struct classic_picture *p, const struct plot *plot)
{
	const struct canvas *c = &plot->canvas;

	for (int x = 0; x < c->width; x++) {
		for (int y = 0; y < c->height; y++) {
			uint8_t color = c->pixel[(size_t)x * (size_t)c->height + (size_t)y];

			if (color)
				gdImagePalettePixel(p->image, MARGIN_X + x, MARGIN_Y + y) = color;
		}
	}
	for (int i = 0; i < plot->columns + 2; i++) {
		if (plot->band[i])
			gdImageLine(p->image, MARGIN_X + i - 1, p->base + 1, MARGIN_X + i - 1,
				    p->base + 6, COLOR_BAND);
	}
	for (int i = 0; i <= plot->columns; i++) {
		if (plot->tick[i])
			gdImageLine(p->image, MARGIN_X + i, p->base + 1, MARGIN_X + i, p->base + 5,
				    COLOR_FRAME);
	}
}

/* In the order of enum color. */
static void allocate_colors(gdImagePtr image)
{
	gdImageColorAllocate(image, 224, 224, 224);
	gdImageColorAllocate(image, 0, 0, 0);
	gdImageColorAllocate(image, 154, 205, 50);
	gdImageColorAllocate(image, 0, 0, 255);
	gdImageColorAllocate(image, 0, 130, 0);
	gdImageColorAllocate(image, 255, 0, 0);
}

gdImagePtr classic_picture_draw(struct data_input *in, const struct settings *settings)
{
	struct classic_picture p = {
		.image = gdImageCreate((int)settings->width, (int)settings->height),
		.width = (int)settings->width,
		.height = (int)settings->height,
		.base = (int)settings->height - MARGIN_Y,
	};
	struct plot plot;

	if (!p.image)
		die("cannot make a picture of %d x %d pixels: out of memory", p.width, p.height);
	allocate_colors(p.image);
	plot_draw(&plot, in, p.width - 2 * MARGIN_X, p.height - 2 * MARGIN_Y, settings->by_time,
		  settings->with_total);
	gdImageRectangle(p.image, MARGIN_X, MARGIN_Y, p.width - MARGIN_X, p.base, COLOR_FRAME);
	draw_heap_scale(&p, plot.heap_top);
	draw_stack_scale(&p, plot.stack_top);
	if (settings->title)
		draw_title_text(&p, settings->title);
	draw_grid_lines(&p, plot.heap_top, plot.stack_top);
	if (settings->by_time)
		draw_time_scale(&p, &in->dat.info);
	else
		draw_call_scale(&p, &in->dat.info);
	copy_plot_pixels(&p, &plot);
	plot_fini(&plot);
	return p.image;
}
