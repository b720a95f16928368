/* stat_drawing.c -- One list of shapes becomes PNG, SVG and PostScript that show the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/drawing/drawing.h"

#include <cairo.h>
#include <gd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/scratch.h"
#include "tests/lib/tap.h"

static const struct text_style small = { .size = 12, .color = 0x000000 };

static void test_formats(void)
{
	EQ_I(drawing_format("a.png"), DRAWING_PNG);
	EQ_I(drawing_format("a.b/c.SVG"), DRAWING_SVG);
	EQ_I(drawing_format("x.ps"), DRAWING_PS);
	EQ_I(drawing_format("x.eps"), DRAWING_EPS);
	EQ_I(drawing_format(".png"), DRAWING_UNKNOWN);
	EQ_I(drawing_format("png"), DRAWING_UNKNOWN);
	EQ_I(drawing_format("a.pngx"), DRAWING_UNKNOWN);
}

/* The font that is painted with is as wide as the table says, where there is one. */
static void test_widths(void)
{
	static const char *const texts[] = { "main (prog.c:7)", "std::vector<int>::push_back",
					     "WWWiii 0123456789", "KiB, MiB | {x}" };
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
	cairo_t *cr = cairo_create(surface);
	cairo_text_extents_t extents;

	cairo_select_font_face(cr, "Arial", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, 120);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		double wanted = drawing_text_width(&small, texts[i]) * 10;

		cairo_text_extents(cr, texts[i], &extents);
		OK(fabs(extents.x_advance - wanted) < wanted * 0.25, "%s: %.0f, %.0f", texts[i],
		   extents.x_advance, wanted);
	}
	cairo_destroy(cr);
	cairo_surface_destroy(surface);
}

static void is_fit(const char *text, double room, bool is_middle, const char *want)
{
	char *got = drawing_text_fit(&small, text, room, is_middle);

	EQ_S(got, want);
	OK(drawing_text_width(&small, got) <= room, "\"%s\" has room", got);
	free(got);
}

static void test_fit(void)
{
	is_fit("short", 100, false, "short");
	is_fit("aaaaaaaaaaaaaaaaaaaa", 60, false, "aaaaaaa\xe2\x80\xa6");
	is_fit("aaaaaaaaaabbbbbbbbbb", 60, true, "aaaa\xe2\x80\xa6" "bbb");
	is_fit("aaaaaaaaaa", 12, false, "\xe2\x80\xa6");
	is_fit("aaaaaaaaaa", 3, false, "");
	is_fit("", 3, true, "");
	is_fit("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4", 40, true,
	       "\xc3\xa4\xc3\xb6\xe2\x80\xa6\xc3\xbc\xc3\xa4");
}

static void fill(struct drawing *d)
{
	const struct point triangle[] = { { 10, 60 }, { 50, 60 }, { 10, 90 } };
	const struct text_style bold = { .size = 14, .color = 0x0000ff, .is_bold = true,
					 .anchor = TEXT_END };
	const struct text_style upward = { .size = 11, .color = 0x333333, .is_upward = true,
					   .anchor = TEXT_MIDDLE };

	drawing_init(d, 200, 100, 0xffffff);
	drawing_tip(d, "a <tip> & \"more\"");
	drawing_rectangle(d, 10, 10, 30, 20, 0xff0000);
	drawing_tip(d, NULL);
	drawing_polygon(d, triangle, 3, 0x00ff00);
	drawing_line(d, (struct point){ 60, 20.5 }, (struct point){ 160, 20.5 }, 1, 0x000000);
	drawing_dashes(d, (struct point){ 60, 40.5 }, (struct point){ 160, 40.5 }, 1, 10,
		       0x000000);
	drawing_text(d, 190, 70, &bold, "f<T&>(int) \xe2\x80\xa6 \\ \xff\x01");
	drawing_text(d, 180, 50, &upward, "up");
	drawing_text(d, 0, 0, &small, "");
}

static char *write_to(const struct drawing *d, const char *name, size_t *size)
{
	const struct png_note notes[] = { { "Title", "a title <&>" }, { "Software", NULL } };
	struct output out;
	FILE *in;
	char *text = calloc(1, 1 << 20);

	EQ_I(output_open(&out, name, 0), 0);
	drawing_write(d, &out, drawing_format(name), notes, 2);
	EQ_I(output_close(&out), 0);
	in = fopen(name, "r");
	*size = fread(text, 1, (1 << 20) - 1, in);
	fclose(in);
	return text;
}

static void test_png(const struct drawing *d)
{
	size_t size;
	char *bytes = write_to(d, "a.png", &size);
	gdImagePtr image = gdImageCreateFromPngPtr((int)size, bytes);

	OK(image != NULL, "it is a PNG");
	if (!image)
		return;
	EQ_I(gdImageSX(image), 200);
	EQ_U((unsigned int)gdImageGetPixel(image, 15, 15), 0xff0000);
	EQ_U((unsigned int)gdImageGetPixel(image, 9, 15), 0xffffff);
	EQ_U((unsigned int)gdImageGetPixel(image, 40, 15), 0xffffff);
	EQ_U((unsigned int)gdImageGetPixel(image, 12, 65), 0x00ff00);
	EQ_U((unsigned int)gdImageGetPixel(image, 100, 20), 0x000000);
	EQ_U((unsigned int)gdImageGetPixel(image, 100, 21), 0xffffff);
	EQ_U((unsigned int)gdImageGetPixel(image, 65, 40), 0x000000);
	EQ_U((unsigned int)gdImageGetPixel(image, 75, 40), 0xffffff);
	gdImageDestroy(image);
	free(bytes);
}

static void test_svg(const struct drawing *d)
{
	size_t size;
	char *text = write_to(d, "a.svg", &size);

	HAS_S(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"200\"");
	HAS_S(text, "<title>a title &lt;&amp;&gt;</title>");
	HAS_S(text, "<rect x=\"10\" y=\"10\" width=\"30\" height=\"20\" fill=\"#ff0000\"><title>"
		    "a &lt;tip&gt; &amp; &quot;more&quot;</title></rect>");
	HAS_S(text, "points=\"10,60 50,60 10,90\" fill=\"#00ff00\"/>");
	HAS_S(text, "stroke-dasharray=\"10\"");
	HAS_S(text, ">f&lt;T&amp;&gt;(int) \xe2\x80\xa6 \\ ?" "?</text>");
	HAS_S(text, "rotate(-90 180 50)");
	HAS_S(text, "</svg>\n");
	free(text);
}

static void test_ps(const struct drawing *d)
{
	size_t size;
	char *text = write_to(d, "a.ps", &size);

	HAS_S(text, "%!PS-Adobe-3.0\n");
	HAS_S(text, "\n%%Title: a title <&>\n");
	HAS_S(text, "\n%%BoundingBox: 0 0 150 75\n");
	HAS_S(text, "1 0 0 rg\n");
	HAS_S(text, "(f<T&>\\(int\\) \\205 \\\\ ?" "?)Tj\n");
	HAS_S(text, "setpagedevice");
	HAS_S(text, "%%EOF\n");
	OK(!strstr(text, "%%CreationDate"), "the same drawing is the same file at any time");
	free(text);
	text = write_to(d, "a.eps", &size);
	HAS_S(text, "%!PS-Adobe-3.0 EPSF-3.0\n");
	OK(!strstr(text, "setpagedevice"), "an EPS sets no page");
	free(text);
}

int main(void)
{
	struct drawing d;

	scratch();
	test_formats();
	test_widths();
	test_fit();
	fill(&d);
	test_png(&d);
	test_svg(&d);
	test_ps(&d);
	drawing_fini(&d);
	return done_testing();
}
