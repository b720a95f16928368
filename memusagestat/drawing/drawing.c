/* drawing.c -- Makes the list of shapes, and measures texts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/xmalloc.h"
#include "formats/base/utf8.h"
#include "profile/base/array.h"

void drawing_init(struct drawing *d, double width, double height, uint32_t background)
{
	*d = (struct drawing){ .width = width, .height = height, .scale = 1,
			       .background = background };
}

double drawing_scale(struct point size, struct point usual)
{
	double growth = size.x / usual.x;

	if (size.y > 0)
		growth = fmin(growth, size.y / usual.y);
	/* A larger picture shows more detail as well as larger texts. */
	return fmax(0.75 * growth, 1);
}

void drawing_init_scaled(struct drawing *d, struct point size, double scale, uint32_t background)
{
	drawing_init(d, size.x / scale, size.y / scale, background);
	d->scale = scale;
}

void drawing_fini(struct drawing *d)
{
	for (uint32_t i = 0; i < d->count; i++)
		free((char *)(uintptr_t)d->shape[i].text);
	free(d->shape);
	free(d->point);
	*d = (struct drawing){ .count = 0 };
}

static struct point *append_points(struct drawing *d, size_t count)
{
	array_reserve(&d->point, &d->point_room, d->point_count + count, sizeof(*d->point));
	d->point_count += (uint32_t)count;
	return &d->point[d->point_count - count];
}

/* Coordinates are kept within these bounds, which are far larger than any picture. */
static const struct box reach = { { -1e6, -1e6 }, { 1e6, 1e6 } };

static struct shape *append_shape(struct drawing *d, enum shape_kind kind,
				  const struct point *point, size_t count)
{
	uint32_t first = d->point_count;

	array_reserve(&d->shape, &d->room, (size_t)d->count + 1, sizeof(*d->shape));
	if (count > 0) {
		struct point *to = append_points(d, count);

		for (size_t i = 0; i < count; i++)
			to[i] = clip_point(&reach, point[i]);
	}
	d->shape[d->count] = (struct shape){ .kind = kind, .first = first,
					     .count = (uint32_t)count };
	return &d->shape[d->count++];
}

void drawing_polygon(struct drawing *d, const struct point *point, size_t count, uint32_t color)
{
	if (count >= 3)
		append_shape(d, SHAPE_POLYGON, point, count)->color = color;
}

void drawing_rectangle(struct drawing *d, double x, double y, double width, double height,
		       uint32_t color)
{
	const struct point corner[] = { { x, y }, { x + width, y }, { x + width, y + height },
					{ x, y + height } };

	drawing_polygon(d, corner, 4, color);
}

void drawing_polyline(struct drawing *d, const struct point *point, size_t count, double width,
		      uint32_t color)
{
	struct shape *shape;

	if (count < 2)
		return;
	shape = append_shape(d, SHAPE_LINE, point, count);
	shape->width = width;
	shape->color = color;
}

void drawing_line(struct drawing *d, struct point from, struct point to, double width,
		  uint32_t color)
{
	drawing_polyline(d, (const struct point[]){ from, to }, 2, width, color);
}

void drawing_dashed(struct drawing *d, const struct point *point, size_t count, double width,
		    double dash, uint32_t color)
{
	drawing_polyline(d, point, count, width, color);
	if (count >= 2)
		d->shape[d->count - 1].dash = dash;
}

void drawing_dashes(struct drawing *d, struct point from, struct point to, double width,
		    double dash, uint32_t color)
{
	drawing_dashed(d, (const struct point[]){ from, to }, 2, width, dash, color);
}

void drawing_text(struct drawing *d, double x, double y, const struct text_style *style,
		  const char *text)
{
	struct shape *shape;

	if (*text == '\0')
		return;
	shape = append_shape(d, SHAPE_TEXT, &(const struct point){ x, y }, 1);
	shape->style = *style;
	shape->color = style->color;
	shape->text = utf8_clean(text, "");
}

void drawing_tip(struct drawing *d, const char *text)
{
	append_shape(d, SHAPE_TIP, NULL, 0)->text = utf8_clean(text ? text : "", "");
}

/* ---- widths of texts --------------------------------------------------------------------- */

enum { WIDTH_OTHER = 556, WIDTH_WIDE = 1112 };

/* The widths of the characters from ' ' on, in thousandths of the size.
 * Source the font metrics (AFM) of Helvetica and Helvetica-Bold. */
static const uint16_t widths[2][95] = {
	{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}, {
		278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
		975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
		333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
		611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
	},
};

static unsigned int character_width(uint32_t code, bool is_bold)
{
	if (code >= ' ' && code < 0x7f)
		return widths[is_bold][code - ' '];
	if (code == 0x2026)
		return 1000;	/* the ellipsis */
	if (code == 0xd7)
		return 584;	/* the sign of multiplication */
	/* Hangul, ideographs, kana, full-width forms, emoji. */
	return (code >= 0x1100 && code < 0x1160) || (code >= 0x2e80 && code < 0xa4d0) ||
	       (code >= 0xac00 && code < 0xd7a4) || (code >= 0xf900 && code < 0xfb00) ||
	       (code >= 0xff00 && code < 0xff61) || code >= 0x1f000 ? WIDTH_WIDE : WIDTH_OTHER;
}

/* Returns the width of the first character, and stores its length in bytes to LENGTH. */
static double measure_character(const struct text_style *style, const char *text, int *length)
{
	uint32_t code = '?';

	*length = utf8_next(text, &code);
	if (*length == 0)
		*length = 1;
	return character_width(code, style->is_bold) * style->size / 1000;
}

double drawing_text_width(const struct text_style *style, const char *text)
{
	double width = 0;
	int length;

	for (; *text; text += length)
		width += measure_character(style, text, &length);
	return width;
}

/* Returns how many bytes of the beginning fit into ROOM. */
static size_t count_fitting_bytes(const struct text_style *style, const char *text, double room)
{
	const char *at = text;
	int length;

	while (*at) {
		room -= measure_character(style, at, &length);
		if (room < 0)
			break;
		at += length;
	}
	return (size_t)(at - text);
}

char *drawing_text_fit(const struct text_style *style, const char *text, double room,
		       bool is_middle)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	double whole = drawing_text_width(style, text);
	double rest = room - character_width(0x2026, false) * style->size / 1000;
	double tail = is_middle ? rest / 2 : 0;
	const char *end = text;
	int length;

	if (whole <= room)
		return xstrdup(text);
	if (rest < 0)
		return xstrdup("");
	for (; *end && whole > tail; end += length)
		whole -= measure_character(style, end, &length);
	return xasprintf("%.*s%s%s", (int)count_fitting_bytes(style, text, rest - whole), text,
			 ellipsis, end);
}

/* ---- writing ----------------------------------------------------------------------------- */

enum drawing_format drawing_format(const char *name)
{
	static const struct {
		const char *ending;
		enum drawing_format format;
	} formats[] = {
		{ ".png", DRAWING_PNG }, { ".svg", DRAWING_SVG }, { ".ps", DRAWING_PS },
		{ ".eps", DRAWING_EPS },
	};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		size_t ending = strlen(formats[i].ending);

		if (length > ending &&
		    strcasecmp(name + length - ending, formats[i].ending) == 0)
			return formats[i].format;
	}
	return DRAWING_UNKNOWN;
}

void drawing_write(const struct drawing *d, struct output *out, enum drawing_format format,
		   const struct png_note *notes, int count)
{
	switch (format) {
	case DRAWING_SVG:
		drawing_write_svg(d, out, notes, count);
		break;
	case DRAWING_PS:
	case DRAWING_EPS:
		drawing_write_ps(d, out, format == DRAWING_PS, notes, count);
		break;
	default:
		drawing_write_png(d, out, notes, count);
	}
}
