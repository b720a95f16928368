/* drawing_cairo.c -- Paints a drawing by cairo, as PNG or PostScript.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/drawing.h"

#include <cairo-ps.h>
#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/xmalloc.h"

#define POINTS_PER_PIXEL 0.75	/* 72 and 96 to the inch */

/* ---- shapes ------------------------------------------------------------------------------ */

static void set_source_color(cairo_t *cr, uint32_t color)
{
	cairo_set_source_rgb(cr, (color >> 16 & 0xff) / 255.0, (color >> 8 & 0xff) / 255.0,
			     (color & 0xff) / 255.0);
}

/* A long line is several paths, because cairo keeps and sorts all dashes of a path: in one path
 * 33,000 points took more than 1 GB and 160 s, in pieces of 100 they take 80 MB and 3 s. A
 * PostScript interpreter may also limit a path to 1500 points. */
static void paint_line(cairo_t *cr, const struct shape *s, const struct point *point)
{
	enum { PIECE = 100 };
	double length = 0;

	cairo_set_line_width(cr, s->width);
	for (uint32_t i = 1; i < s->count; i++) {
		if (!cairo_has_current_point(cr)) {
			cairo_set_dash(cr, &s->dash, s->dash > 0, length);
			cairo_move_to(cr, point[i - 1].x, point[i - 1].y);
		}
		cairo_line_to(cr, point[i].x, point[i].y);
		length += hypot(point[i].x - point[i - 1].x, point[i].y - point[i - 1].y);
		if (i % PIECE == 0 || i + 1 == s->count)
			cairo_stroke(cr);
	}
}

static void paint_polygon(cairo_t *cr, const struct shape *s, const struct point *point)
{
	for (uint32_t i = 0; i < s->count; i++)
		cairo_line_to(cr, point[i].x, point[i].y);
	cairo_fill(cr);
}

/* Fontconfig finds a font as wide as Arial, if there is one. A wider font is made smaller, else its
 * texts would run over others.
 *
 * is_outline  for pixels: cairo_show_text() of cairo 1.16 moves each letter to a whole pixel, which
 *             makes the spaces between them uneven. PostScript gets the letters, to embed the font.
 */
static void paint_text(cairo_t *cr, const struct shape *s, struct point at, bool is_outline)
{
	static const double shares[] = {
		[TEXT_START] = 0, [TEXT_MIDDLE] = 0.5, [TEXT_END] = 1,
	};
	const struct text_style *style = &s->style;
	const double wanted = drawing_text_width(style, s->text);
	cairo_text_extents_t extents;

	cairo_select_font_face(cr, "Arial", CAIRO_FONT_SLANT_NORMAL,
			       style->is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, style->size);
	cairo_text_extents(cr, s->text, &extents);
	if (extents.x_advance > wanted * 1.04 + 2) {
		cairo_set_font_size(cr, style->size * wanted / extents.x_advance);
		cairo_text_extents(cr, s->text, &extents);
	}
	cairo_save(cr);
	cairo_translate(cr, at.x, at.y);
	if (style->is_upward)
		cairo_rotate(cr, -M_PI / 2);
	cairo_move_to(cr, -extents.x_advance * shares[style->anchor], 0);
	if (is_outline) {
		cairo_text_path(cr, s->text);
		cairo_fill(cr);
	} else {
		cairo_show_text(cr, s->text);
	}
	cairo_restore(cr);
}

static void paint_shape(cairo_t *cr, const struct drawing *d, const struct shape *s,
			bool is_outline)
{
	const struct point *point = &d->point[s->first];

	set_source_color(cr, s->color);
	cairo_new_path(cr);
	if (s->kind == SHAPE_POLYGON)
		paint_polygon(cr, s, point);
	else if (s->kind == SHAPE_LINE)
		paint_line(cr, s, point);
	else if (s->kind == SHAPE_TEXT)
		paint_text(cr, s, *point, is_outline);
}

/* Fixed options, because those of fontconfig differ from machine to machine. */
static void set_font_options(cairo_t *cr)
{
	cairo_font_options_t *options = cairo_font_options_create();

	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_set_font_options(cr, options);
	cairo_font_options_destroy(options);
}

static void paint_drawing(cairo_surface_t *surface, const struct drawing *d, double scale,
			  bool is_outline)
{
	cairo_t *cr = cairo_create(surface);

	cairo_scale(cr, scale * d->scale, scale * d->scale);
	set_font_options(cr);
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
	set_source_color(cr, d->background);
	cairo_paint(cr);
	for (uint32_t i = 0; i < d->count; i++)
		paint_shape(cr, d, &d->shape[i], is_outline);
	cairo_show_page(cr);
	if (cairo_status(cr) != CAIRO_STATUS_SUCCESS)
		die("cannot make a picture of %.0f x %.0f pixels: %s", d->width * d->scale,
		    d->height * d->scale, cairo_status_to_string(cairo_status(cr)));
	cairo_destroy(cr);
}

/* ---- PNG --------------------------------------------------------------------------------- */

/* Returns how many pixels a side has; a rounding error of the scale adds none. */
static int count_pixels(const struct drawing *d, double side)
{
	return (int)ceil(side * d->scale - 1e-6);
}

void drawing_write_png(const struct drawing *d, struct output *out,
		       const struct png_note *notes, int count)
{
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24,
							      count_pixels(d, d->width),
							      count_pixels(d, d->height));

	paint_drawing(surface, d, 1, true);
	cairo_surface_flush(surface);
	png_write_rgb(out, &(const struct png_pixels){
		.pixel = cairo_image_surface_get_data(surface),
		.width = (unsigned int)cairo_image_surface_get_width(surface),
		.height = (unsigned int)cairo_image_surface_get_height(surface),
		.stride = (size_t)cairo_image_surface_get_stride(surface),
	}, notes, count);
	cairo_surface_destroy(surface);
}

/* ---- PostScript -------------------------------------------------------------------------- */

static cairo_status_t append_bytes(void *stream, const unsigned char *data, unsigned int length)
{
	return fwrite(data, 1, length, stream) == length ? CAIRO_STATUS_SUCCESS :
							   CAIRO_STATUS_NO_MEMORY;
}

/* Adds a comment of the document: one line of at most 255 printable characters. */
static void add_dsc_comment(cairo_surface_t *surface, const char *name, const char *text)
{
	char comment[200];

	snprintf(comment, sizeof(comment), "%%%%%s: %s", name, text);
	for (char *c = comment; *c; c++) {
		if (*c < ' ' || *c >= 0x7f)
			*c = '?';
	}
	cairo_ps_surface_dsc_comment(surface, comment);
}

static void add_dsc_comments(cairo_surface_t *surface, const struct png_note *notes, int count)
{
	for (int i = 0; i < count; i++) {
		if (notes[i].text && strcmp(notes[i].keyword, "Title") == 0)
			add_dsc_comment(surface, "Title", notes[i].text);
		if (notes[i].text && strcmp(notes[i].keyword, "Software") == 0)
			add_dsc_comment(surface, "Creator", notes[i].text);
	}
}

/* Writes the document without the date and the version of cairo: one drawing is always the same
 * file. */
static void write_undated_document(FILE *out, const char *text, size_t size)
{
	const char *line = text, *end;

	while (strncmp(line, "%%EndComments", 13) != 0 && (end = strchr(line, '\n'))) {
		if (strncmp(line, "%%CreationDate:", 15) != 0 &&
		    strncmp(line, "%%Creator: cairo", 16) != 0)
			fwrite(line, 1, (size_t)(end + 1 - line), out);
		line = end + 1;
	}
	fwrite(line, 1, size - (size_t)(line - text), out);
}

void drawing_write_ps(const struct drawing *d, struct output *out, bool is_page,
		      const struct png_note *notes, int count)
{
	char *text = NULL;
	size_t size;
	FILE *stream = xopen_memstream(&text, &size);
	cairo_surface_t *surface;

	surface = cairo_ps_surface_create_for_stream(append_bytes, stream,
						     d->width * d->scale * POINTS_PER_PIXEL,
						     d->height * d->scale * POINTS_PER_PIXEL);
	cairo_ps_surface_restrict_to_level(surface, CAIRO_PS_LEVEL_2);
	cairo_ps_surface_set_eps(surface, !is_page);
	add_dsc_comments(surface, notes, count);
	paint_drawing(surface, d, POINTS_PER_PIXEL, false);
	cairo_surface_finish(surface);
	if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
		die("cannot make the picture: %s",
		    cairo_status_to_string(cairo_surface_status(surface)));
	xclose_memstream(stream);
	write_undated_document(out->stream, text, size);
	cairo_surface_destroy(surface);
	free(text);
}
