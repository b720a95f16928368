/* drawing_svg.c -- Writes a drawing as SVG 1.1, without scripts, links or embedded fonts.
 *
 * Each text has its width as an attribute: a viewer without the fonts squeezes another font instead
 * of running over the next text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/drawing.h"

#include <inttypes.h>
#include <string.h>

#include "formats/base/xml_text.h"

/* Writes hundredths of a pixel, and whole numbers without decimals. */
static void write_number(FILE *out, double value)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "%.2f", value);

	while (length > 0 && text[length - 1] == '0')
		length--;
	if (length > 0 && text[length - 1] == '.')
		length--;
	text[length] = '\0';
	fputs(strcmp(text, "-0") == 0 ? "0" : text, out);
}

static void write_attribute(FILE *out, const char *name, double value)
{
	fprintf(out, " %s=\"", name);
	write_number(out, value);
	putc('"', out);
}

static void write_points(FILE *out, const struct point *point, uint32_t count)
{
	fputs(" points=\"", out);
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			putc(' ', out);
		write_number(out, point[i].x);
		putc(',', out);
		write_number(out, point[i].y);
	}
	putc('"', out);
}

static bool is_rectangle(const struct point *p, uint32_t count)
{
	return count == 4 && p[0].y == p[1].y && p[1].x == p[2].x && p[2].y == p[3].y &&
	       p[3].x == p[0].x && p[1].x > p[0].x && p[2].y > p[1].y;
}

static void write_polygon(FILE *out, const struct point *p, const struct shape *s)
{
	if (is_rectangle(p, s->count)) {
		fputs("<rect", out);
		write_attribute(out, "x", p[0].x);
		write_attribute(out, "y", p[0].y);
		write_attribute(out, "width", p[1].x - p[0].x);
		write_attribute(out, "height", p[2].y - p[1].y);
	} else {
		fputs("<polygon", out);
		write_points(out, p, s->count);
	}
	fprintf(out, " fill=\"#%06" PRIx32 "\"", s->color);
}

static void write_polyline(FILE *out, const struct point *p, const struct shape *s)
{
	fputs("<polyline fill=\"none\" stroke-linejoin=\"round\"", out);
	write_points(out, p, s->count);
	fprintf(out, " stroke=\"#%06" PRIx32 "\"", s->color);
	write_attribute(out, "stroke-width", s->width);
	if (s->dash > 0)
		write_attribute(out, "stroke-dasharray", s->dash);
}

static void write_text_element(FILE *out, const struct point *p, const struct shape *s)
{
	static const char *const anchors[] = {
		[TEXT_MIDDLE] = " text-anchor=\"middle\"", [TEXT_END] = " text-anchor=\"end\"",
	};
	const struct text_style *style = &s->style;

	fputs("<text", out);
	write_attribute(out, "x", p->x);
	write_attribute(out, "y", p->y);
	write_attribute(out, "font-size", style->size);
	write_attribute(out, "textLength", drawing_text_width(style, s->text));
	fprintf(out, " lengthAdjust=\"spacingAndGlyphs\" fill=\"#%06" PRIx32 "\"", style->color);
	if (anchors[style->anchor])
		fputs(anchors[style->anchor], out);
	if (style->is_bold)
		fputs(" font-weight=\"bold\"", out);
	if (style->is_upward) {
		fputs(" transform=\"rotate(-90 ", out);
		write_number(out, p->x);
		putc(' ', out);
		write_number(out, p->y);
		fputs(")\"", out);
	}
	putc('>', out);
	xml_text_put(out, s->text);
}

/* A <title> must be the first child of its element. */
static void write_shape(FILE *out, const struct drawing *d, const struct shape *s, const char *tip)
{
	static const char *const names[] = { "", "polyline", "text" };
	const struct point *p = &d->point[s->first];
	const char *name = names[s->kind];

	if (s->kind == SHAPE_POLYGON) {
		write_polygon(out, p, s);
		name = is_rectangle(p, s->count) ? "rect" : "polygon";
	} else if (s->kind == SHAPE_LINE) {
		write_polyline(out, p, s);
	} else {
		write_text_element(out, p, s);
	}
	/* A text needs no tip: the shape under it has the same one. */
	if (s->kind == SHAPE_TEXT) {
		fputs("</text>\n", out);
	} else if (*tip) {
		fputs("><title>", out);
		xml_text_put(out, tip);
		fprintf(out, "</title></%s>\n", name);
	} else {
		fputs("/>\n", out);
	}
}

static void write_svg_head(FILE *out, const struct drawing *d, const struct png_note *notes,
			   int count)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"", out);
	write_attribute(out, "width", d->width * d->scale);
	write_attribute(out, "height", d->height * d->scale);
	fputs(" viewBox=\"0 0 ", out);
	write_number(out, d->width);
	putc(' ', out);
	write_number(out, d->height);
	fputs("\" font-family=\"Helvetica, Arial, 'Liberation Sans', Arimo, 'Nimbus Sans', "
	      "sans-serif\" xml:space=\"preserve\">\n", out);
	for (int i = 0; i < count; i++) {
		const char *tag = strcmp(notes[i].keyword, "Title") == 0 ? "title" :
				  strcmp(notes[i].keyword, "Software") == 0 ? "desc" : NULL;

		if (!tag || !notes[i].text)
			continue;
		fprintf(out, "<%s>", tag);
		xml_text_put(out, notes[i].text);
		fprintf(out, "</%s>\n", tag);
	}
	fprintf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06" PRIx32 "\"/>\n",
		d->background);
}

void drawing_write_svg(const struct drawing *d, struct output *out,
		       const struct png_note *notes, int count)
{
	const char *tip = "";

	write_svg_head(out->stream, d, notes, count);
	for (uint32_t i = 0; i < d->count && !output_failed(out); i++) {
		if (d->shape[i].kind == SHAPE_TIP)
			tip = d->shape[i].text;
		else
			write_shape(out->stream, d, &d->shape[i], tip);
	}
	fputs("</svg>\n", out->stream);
}
