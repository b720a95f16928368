/* drawing_ps.c -- a drawing as PostScript, level 2, one page as large as the drawing.
 *
 * A .ps file asks for a page of its size; an .eps file must not, and is placed in documents.
 * y is turned round for the shapes, and back for the texts, by the procedures at its head.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/drawing.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats/base/utf8.h"

#define POINTS_PER_PIXEL 0.75	/* 72 and 96 to the inch */

/* p: polygon, l: line, t: text. The encoding is Latin-1's, with an ellipsis at 0x85. */
static const char prolog[] =
	"%%BeginProlog\n"
	"/c { 255 div 3 1 roll 255 div 3 1 roll 255 div 3 1 roll setrgbcolor } bind def\n"
	"/m /moveto load def /n /lineto load def\n"
	"/p { closepath fill } bind def\n"
	"/w { setlinewidth } bind def\n"
	"/s { stroke } bind def\n"
	"/latin { findfont dup length dict begin\n"
	"  { 1 index /FID ne { def } { pop pop } ifelse } forall\n"
	"  /Encoding ISOLatin1Encoding 256 array copy dup 16#85 /ellipsis put\n"
	"    dup 16#2d /hyphen put dup 16#27 /quotesingle put dup 16#60 /grave put def\n"
	"  currentdict end definefont pop } bind def\n"
	"/Regular /Helvetica latin\n"
	"/Bold /Helvetica-Bold latin\n"
	"% text anchor angle x y size font t\n"
	"/t { gsave findfont exch scalefont setfont translate 1 -1 scale rotate\n"
	"  0 0 moveto 1 index stringwidth pop mul neg 0 rmoveto show grestore } bind def\n"
	"%%EndProlog\n";

static void put_string(FILE *out, const char *text)
{
	putc('(', out);
	while (*text) {
		uint32_t code = '?';
		int length = utf8_next(text, &code);

		text += length ? length : 1;
		if (code == 0x2026)
			code = 0x85;
		else if (code > 0xff || (code > 0x7e && code < 0xa0))
			code = '?';
		if (code == '(' || code == ')' || code == '\\')
			fprintf(out, "\\%c", (char)code);
		else if (code < 0x7f)
			putc((int)code, out);
		else
			fprintf(out, "\\%03o", (unsigned int)code);
	}
	putc(')', out);
}

static void put_color(FILE *out, uint32_t color)
{
	fprintf(out, "%u %u %u c ", color >> 16 & 0xff, color >> 8 & 0xff, color & 0xff);
}

/* An interpreter may allow no more than 1500 points in a path: a long line is several. */
static void put_line(FILE *out, const struct point *p, const struct shape *s)
{
	enum { POINTS = 1000 };

	put_color(out, s->color);
	fprintf(out, "%g w [", s->width);
	if (s->dash > 0)
		fprintf(out, "%g", s->dash);
	fputs("] 0 setdash\n", out);
	for (uint32_t i = 0; i < s->count; i++) {
		bool is_last = i + 1 == s->count, ends = i > 0 && i % POINTS == 0;

		fprintf(out, "%.2f %.2f %s\n", p[i].x, p[i].y, i == 0 ? "m" : "n");
		if (is_last || ends)
			fputs("s\n", out);
		if (ends && !is_last)
			fprintf(out, "%.2f %.2f m\n", p[i].x, p[i].y);
	}
}

static void put_polygon(FILE *out, const struct point *p, const struct shape *s)
{
	put_color(out, s->color);
	for (uint32_t i = 0; i < s->count; i++)
		fprintf(out, "%.2f %.2f %s\n", p[i].x, p[i].y, i == 0 ? "m" : "n");
	fputs("p\n", out);
}

static void put_text(FILE *out, const struct point *p, const struct shape *s)
{
	static const char *const anchors[] = {
		[TEXT_START] = "0", [TEXT_MIDDLE] = "0.5", [TEXT_END] = "1",
	};

	put_color(out, s->style.color);
	put_string(out, s->text);
	fprintf(out, " %s %d %.2f %.2f %g /%s t\n", anchors[s->style.anchor],
		s->style.is_upward ? 90 : 0, p->x, p->y, s->style.size,
		s->style.is_bold ? "Bold" : "Regular");
}

/* A comment is one line of printable characters. */
static void put_comment(FILE *out, const char *name, const char *text)
{
	fprintf(out, "%%%%%s: ", name);
	for (int i = 0; i < 200 && text[i]; i++)
		putc(text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?', out);
	putc('\n', out);
}

/* The page has the size of the drawing, if the device can have it. */
static void put_setup(FILE *out, double width, double height)
{
	fprintf(out, "%%%%BeginSetup\n"
		"mark { << /PageSize [%.0f %.0f] >> setpagedevice } stopped cleartomark\n"
		"%%%%EndSetup\n", ceil(width), ceil(height));
}

static void put_head(FILE *out, const struct drawing *d, const struct png_note *notes, int count)
{
	fprintf(out, "%%%%BoundingBox: 0 0 %.0f %.0f\n", ceil(d->width * POINTS_PER_PIXEL),
		ceil(d->height * POINTS_PER_PIXEL));
	for (int i = 0; i < count; i++) {
		const char *name = strcmp(notes[i].keyword, "Title") == 0 ? "Title" :
				   strcmp(notes[i].keyword, "Software") == 0 ? "Creator" : NULL;

		if (name && notes[i].text)
			put_comment(out, name, notes[i].text);
	}
	fputs("%%LanguageLevel: 2\n%%Pages: 1\n%%EndComments\n", out);
	fputs(prolog, out);
}

static void begin_page(FILE *out, const struct drawing *d)
{
	fprintf(out, "%%%%Page: 1 1\ngsave 0 %g translate %g %g scale 1 setlinejoin\n",
		d->height * POINTS_PER_PIXEL, POINTS_PER_PIXEL, -POINTS_PER_PIXEL);
	put_color(out, d->background);
	fprintf(out, "0 0 %g %g rectfill\n", d->width, d->height);
}

void drawing_write_ps(const struct drawing *d, struct output *out, bool is_page,
		      const struct png_note *notes, int count)
{
	FILE *stream = out->stream;

	fputs(is_page ? "%!PS-Adobe-3.0\n" : "%!PS-Adobe-3.0 EPSF-3.0\n", stream);
	put_head(stream, d, notes, count);
	if (is_page)
		put_setup(stream, d->width * POINTS_PER_PIXEL, d->height * POINTS_PER_PIXEL);
	begin_page(stream, d);
	for (uint32_t i = 0; i < d->count && !output_failed(out); i++) {
		const struct shape *s = &d->shape[i];
		const struct point *p = &d->point[s->first];

		if (s->kind == SHAPE_POLYGON)
			put_polygon(stream, p, s);
		else if (s->kind == SHAPE_LINE)
			put_line(stream, p, s);
		else if (s->kind == SHAPE_TEXT)
			put_text(stream, p, s);
	}
	fputs("grestore\nshowpage\n%%Trailer\n%%EOF\n", stream);
}
