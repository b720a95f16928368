/* drawing_png.c -- a drawing as PNG: polygons by raster.c, texts by FreeType through libgd.
 *
 * libgd's own anti-aliasing knows thin lines only, so it draws nothing but texts here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/drawing.h"

#include <gd.h>
#include <gdfontmb.h>
#include <gdfonts.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusagestat/drawing/clip.h"
#include "memusagestat/drawing/raster.h"
#include "memusagestat/labels.h"

struct painter {
	const struct drawing *d;
	gdImagePtr image;
	struct raster raster;
	float *coverage;	/* of a row */
	bool has_fonts;
};

/* ---- areas ------------------------------------------------------------------------------- */

static int blend(int below, uint32_t above, float coverage)
{
	int result = 0;

	for (int shift = 0; shift <= 16; shift += 8) {
		float a = (float)(above >> shift & 0xff), b = (float)(below >> shift & 0xff);

		result |= (int)(b + (a - b) * coverage + 0.5f) << shift;
	}
	return result;
}

static void paint(struct painter *p, uint32_t color)
{
	for (int y = 0; y < p->raster.height; y++) {
		int *pixel = p->image->tpixels[p->raster.top + y] + p->raster.left;

		raster_row(&p->raster, y, p->coverage);
		for (int x = 0; x < p->raster.width; x++) {
			if (p->coverage[x] >= 1)
				pixel[x] = (int)color;
			else if (p->coverage[x] > 0)
				pixel[x] = blend(pixel[x], color, p->coverage[x]);
		}
	}
}

/* The box of some points, WIDER on every side. False if it is outside of the picture. */
static bool begin(struct painter *p, const struct point *point, uint32_t count, double wider)
{
	struct point low = point[0], high = point[0];

	for (uint32_t i = 1; i < count; i++) {
		low = (struct point){ fmin(low.x, point[i].x), fmin(low.y, point[i].y) };
		high = (struct point){ fmax(high.x, point[i].x), fmax(high.y, point[i].y) };
	}
	low = (struct point){ low.x - wider, low.y - wider };
	high = (struct point){ high.x + wider, high.y + wider };
	return raster_begin(&p->raster, low, high, gdImageSX(p->image), gdImageSY(p->image));
}

static void put_polygon(struct painter *p, const struct shape *s)
{
	const struct point *point = &p->d->point[s->first];

	if (!begin(p, point, s->count, 0))
		return;
	raster_polygon(&p->raster, point, s->count);
	paint(p, s->color);
}

/* A straight piece of a line from A to B, longer by what its ends are rounded off elsewhere. */
static void add_piece(struct painter *p, struct point a, struct point b, double width,
		      double longer)
{
	double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
	double ux, uy, w = width / 2;

	if (length == 0)
		return;
	ux = dx / length, uy = dy / length;
	const struct point corner[] = {
		{ a.x - ux * longer - uy * w, a.y - uy * longer + ux * w },
		{ b.x + ux * longer - uy * w, b.y + uy * longer + ux * w },
		{ b.x + ux * longer + uy * w, b.y + uy * longer - ux * w },
		{ a.x - ux * longer + uy * w, a.y - uy * longer - ux * w },
	};
	raster_polygon(&p->raster, corner, 4);
}

/* Dashes go on from one piece to the next: *GONE is how far the line came, by one dash on and one
 * off. Only what can be seen is cut into dashes. */
static void add_dashes(struct painter *p, const struct shape *s, struct point a, struct point b,
		       double *gone)
{
	const struct box seen = { { -s->width, -s->width },
				  { p->d->width + s->width, p->d->height + s->width } };
	const struct point start = a;
	const double before = *gone, period = 2 * s->dash;
	double length, at;

	*gone = fmod(before + hypot(b.x - a.x, b.y - a.y), period);
	if (!clip_piece(&seen, &a, &b))
		return;
	length = hypot(b.x - a.x, b.y - a.y);
	at = -fmod(before + hypot(a.x - start.x, a.y - start.y), period);
	for (; at < length; at += period) {
		double from = fmax(at, 0) / length, to = fmin(at + s->dash, length) / length;

		if (to > from)
			add_piece(p, (struct point){ a.x + (b.x - a.x) * from,
						     a.y + (b.y - a.y) * from },
				  (struct point){ a.x + (b.x - a.x) * to,
						  a.y + (b.y - a.y) * to }, s->width, 0);
	}
}

static void put_line(struct painter *p, const struct shape *s)
{
	const struct point *point = &p->d->point[s->first];
	double gone = 0;

	if (!begin(p, point, s->count, s->width))
		return;
	for (uint32_t i = 0; i + 1 < s->count; i++) {
		if (s->dash > 0)
			add_dashes(p, s, point[i], point[i + 1], &gone);
		else
			add_piece(p, point[i], point[i + 1], s->width,
				  s->count > 2 ? s->width / 4 : 0);
	}
	paint(p, s->color);
}

/* ---- texts ------------------------------------------------------------------------------- */

/* libgd takes the text without const, and reads "&amp;" as a character: "&" is written so. */
static char *gd_text(const char *text)
{
	size_t ampersands = 0;
	char *copy, *to;

	for (const char *at = text; *at; at++)
		ampersands += *at == '&';
	copy = to = xmalloc(strlen(text) + 4 * ampersands + 1);
	for (; *text; text++)
		to = *text == '&' ? stpcpy(to, "&#38;") : (*to = *text, to + 1);
	*to = '\0';
	return copy;
}

/* A pattern of fontconfig: the first family that is there. */
static char *font(const struct text_style *style)
{
	static char regular[] = "Liberation Sans,Arimo,Arial,Helvetica,Nimbus Sans,DejaVu Sans";
	static char bold[] =
		"Liberation Sans,Arimo,Arial,Helvetica,Nimbus Sans,DejaVu Sans:bold";

	return style->is_bold ? bold : regular;
}

/* gd counts in points, at 96 of them per 72 pixels. Where WIDTH is not NULL it is set. */
static bool draw_text(const struct painter *p, const struct shape *s, char *text, double size,
		      struct point at, double *width)
{
	int box[8];
	double angle = s->style.is_upward ? M_PI / 2 : 0;
	const char *failure = gdImageStringFT(width ? NULL : p->image, box,
					      (int)s->style.color, font(&s->style), size * 0.75,
					      width ? 0 : angle, (int)lround(at.x),
					      (int)lround(at.y), text);

	if (width)
		*width = box[2] - box[0];
	return failure == NULL;
}

static struct point start_of(const struct shape *s, struct point at, double width)
{
	double back = s->style.anchor == TEXT_MIDDLE ? width / 2 :
		      s->style.anchor == TEXT_END ? width : 0;

	return s->style.is_upward ? (struct point){ at.x, at.y + back } :
				    (struct point){ at.x - back, at.y };
}

/* Without any font that scales. */
static void put_bitmap_text(const struct painter *p, const struct shape *s, struct point at)
{
	gdFontPtr small = s->style.is_bold ? gdFontGetMediumBold() : gdFontGetSmall();
	unsigned char *text = label_title(s->text);
	double width = (double)small->w * (double)strlen((char *)text);
	struct point start = start_of(s, at, width);

	if (s->style.is_upward)
		gdImageStringUp(p->image, small, (int)lround(start.x) - small->h + 3,
				(int)lround(start.y), text, (int)s->style.color);
	else
		gdImageString(p->image, small, (int)lround(start.x),
			      (int)lround(start.y) - small->h + 3, text, (int)s->style.color);
	free(text);
}

static void put_text(struct painter *p, const struct shape *s)
{
	struct point at = p->d->point[s->first];
	double size = s->style.size, wanted, width;
	char *text = gd_text(s->text);

	if (!p->has_fonts || !draw_text(p, s, text, size, at, &width)) {
		put_bitmap_text(p, s, at);
	} else {
		/* Another font than the one that the layout counts with is made to fit. */
		wanted = drawing_text_width(&s->style, s->text);
		if (width > wanted * 1.04 + 2) {
			size *= wanted / width;
			draw_text(p, s, text, size, at, &width);
		}
		draw_text(p, s, text, size, start_of(s, at, width), NULL);
	}
	free(text);
}

/* ---- the picture ------------------------------------------------------------------------- */

static bool has_fonts(void)
{
	const struct text_style style = { .size = 12 };
	char text[] = "x";
	int box[8];

	return gdFTUseFontConfig(1) &&
	       !gdImageStringFT(NULL, box, 0, font(&style), 9, 0, 0, 0, text);
}

void drawing_write_png(const struct drawing *d, struct output *out,
		       const struct png_note *notes, int count)
{
	struct painter p = {
		.d = d,
		.image = gdImageCreateTrueColor((int)ceil(d->width), (int)ceil(d->height)),
		.has_fonts = has_fonts(),
	};

	if (!p.image)
		die("cannot make a picture of %.0f x %.0f pixels: out of memory", d->width,
		    d->height);
	p.coverage = xcalloc((size_t)gdImageSX(p.image), sizeof(*p.coverage));
	for (int y = 0; y < gdImageSY(p.image); y++) {
		for (int x = 0; x < gdImageSX(p.image); x++)
			p.image->tpixels[y][x] = (int)d->background;
	}
	for (uint32_t i = 0; i < d->count; i++) {
		const struct shape *s = &d->shape[i];

		if (s->kind == SHAPE_POLYGON)
			put_polygon(&p, s);
		else if (s->kind == SHAPE_LINE)
			put_line(&p, s);
		else if (s->kind == SHAPE_TEXT)
			put_text(&p, s);
	}
	png_write_rgb(out, p.image, notes, count);
	raster_fini(&p.raster);
	free(p.coverage);
	gdImageDestroy(p.image);
}
