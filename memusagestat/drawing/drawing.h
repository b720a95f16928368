/* drawing.h -- A picture as a list of shapes, which every format shows alike.
 *
 *	struct drawing d;
 *
 *	drawing_init(&d, 800, 600, theme->background);
 *	drawing_rectangle(&d, 45, 20, 700, 500, theme->plot);
 *	drawing_text(&d, 45, 15, &(struct text_style){ .size = 13, .color = theme->text }, "title");
 *	drawing_write(&d, &output, drawing_format(name), notes, count);
 *	drawing_fini(&d);
 *
 * A layout makes the list once; PNG, SVG and PostScript are written from it. Coordinates are pixels
 * of 1/96 inch, or units of a scaled drawing, fractions allowed; x grows to the right from the left
 * edge, y downwards from the top one. Pixel i covers i to i + 1: a line one pixel wide is crisp in
 * a PNG at i + 0.5. Shapes are drawn in the order in which they were added, later ones over earlier
 * ones. Between shapes that share a slanted edge a hair of the background shows: draw the lower one
 * larger and the other over it.
 *
 * A coordinate beyond a million pixels, or NaN, is replaced by the nearest one within: no number
 * makes a back end run for ever.
 *
 * A colour is 0xRRGGBB. Texts may hold any bytes: control characters and bytes that are not UTF-8
 * become '?'. All back ends use fonts as wide as Helvetica, or scale others to that width, hence
 * drawing_text_width() is right for each. Without memory, functions die like those of
 * cli/xmalloc.h.
 *
 * Cost: 64 bytes per shape and 16 per point.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/output.h"
#include "memusagestat/drawing/clip.h"
#include "memusagestat/drawing/png.h"

enum text_anchor { TEXT_START, TEXT_MIDDLE, TEXT_END };

struct text_style {
	double size;		/* pixels: of the font; capitals are 0.72 of it high */
	uint32_t color;
	enum text_anchor anchor;	/* the part of the text at the point */
	bool is_bold;
	bool is_upward;		/* turned left by 90 degrees: reads from the bottom to the top */
};

enum shape_kind {
	SHAPE_POLYGON,		/* filled; the inside is where the winding number is not 0 */
	SHAPE_LINE,		/* open, of straight pieces */
	SHAPE_TEXT,
	SHAPE_TIP,		/* of the shapes up to the next tip; SVG only */
};

/* One shape, for the back ends. */
struct shape {
	enum shape_kind kind;
	uint32_t first, count;	/* of drawing->point; a text has one */
	uint32_t color;
	double width;		/* of a line */
	double dash;		/* of a line: pixels on, then as many off; 0: not dashed */
	struct text_style style;	/* of a text */
	const char *text;	/* of a text or tip; "" ends a tip */
};

/* Zeroed, it is empty. */
struct drawing {
	double width, height;	/* in the units of its coordinates */
	double scale;		/* pixels in a unit */
	uint32_t background;
	struct shape *shape;
	uint32_t count;
	struct point *point;
	uint32_t point_count;
	uint32_t room, point_room;	/* private */
};

/* drawing_init -- Makes an empty drawing of WIDTH x HEIGHT pixels, filled with BACKGROUND. */
void drawing_init(struct drawing *d, double width, double height, uint32_t background);

/* drawing_scale -- Returns how many pixels a unit of coordinates has, so that texts grow with the
 * picture.
 *
 * size   pixels of the picture; y 0: as high as it needs.
 * usual  pixels for which the layout was made. Up to a third more, a unit is one pixel.
 */
double drawing_scale(struct point size, struct point usual);

/* drawing_init_scaled -- Makes an empty drawing of SIZE pixels, whose units have SCALE pixels. The
 * layout fills d->width x d->height units. */
void drawing_init_scaled(struct drawing *d, struct point size, double scale, uint32_t background);

/* drawing_fini -- Releases the drawing, which may be a zeroed struct. */
void drawing_fini(struct drawing *d);

/* drawing_polygon -- Fills a polygon of COUNT points; the last is joined to the first. */
void drawing_polygon(struct drawing *d, const struct point *point, size_t count,
		     uint32_t color);

/* drawing_rectangle -- Fills a rectangle, given by its upper left corner. */
void drawing_rectangle(struct drawing *d, double x, double y, double width, double height,
		       uint32_t color);

/* drawing_polyline -- Draws a line WIDTH pixels wide through COUNT points, at least 2. */
void drawing_polyline(struct drawing *d, const struct point *point, size_t count, double width,
		      uint32_t color);

/* drawing_line -- Draws a straight line. */
void drawing_line(struct drawing *d, struct point from, struct point to, double width,
		  uint32_t color);

/* drawing_dashed -- Draws drawing_polyline() with dashes, DASH pixels on and as many off; 0: none.
 * Dashes continue from one piece to the next. Fewer than 2 points draw nothing. */
void drawing_dashed(struct drawing *d, const struct point *point, size_t count, double width,
		    double dash, uint32_t color);

/* drawing_dashes -- Draws a straight line of dashes. */
void drawing_dashes(struct drawing *d, struct point from, struct point to, double width,
		    double dash, uint32_t color);

/* drawing_text -- Draws a text whose base line begins (or ends, or has its middle) at X, Y.
 *
 * style, text  copied. An empty text draws nothing.
 */
void drawing_text(struct drawing *d, double x, double y, const struct text_style *style,
		  const char *text);

/* drawing_tip -- Gives the shapes that are added from here on a tool tip, if the format has them.
 *
 * text  copied; NULL ends the tip.
 */
void drawing_tip(struct drawing *d, const char *text);

/* drawing_text_width -- Returns the width of a text in pixels.
 *
 * Source the font metrics of Helvetica, whose widths Arial, Liberation Sans and Nimbus Sans share.
 * Characters beyond Latin-1 count as wide as "0", those of East Asia as twice that.
 */
double drawing_text_width(const struct text_style *style, const char *text);

/* drawing_text_fit -- Cuts TEXT to at most ROOM pixels.
 *
 * is_middle  the end of the text says as much as its beginning (paths, C++ names): cut between
 * An ellipsis replaces the part that was cut.
 * Returns a text to be freed; "" if there is no room for the ellipsis.
 */
char *drawing_text_fit(const struct text_style *style, const char *text, double room,
		       bool is_middle);

/* ---- writing ----------------------------------------------------------------------------- */

enum drawing_format { DRAWING_PNG, DRAWING_SVG, DRAWING_PS, DRAWING_EPS,
		      DRAWING_UNKNOWN };

/* drawing_format -- Returns the format by the end of a file name, in either case: .png, .svg, .ps,
 * .eps. */
enum drawing_format drawing_format(const char *name);

/* drawing_write -- Writes the drawing.
 *
 * notes  COUNT of them: PNG keeps each as a text, SVG and PostScript only "Title" and "Software". A
 *        note without text is left out.
 * Errors of writing stay in OUT, for output_close(). FORMAT is not DRAWING_UNKNOWN.
 * PNG: true colour, edges and texts anti-aliased; fonts by fontconfig, cairo's own without any.
 * SVG: 1.1, no scripts, no links, fonts by name. PostScript: level 2, fonts embedded, one
 * page as large as the drawing, or (EPS) to be placed on another page.
 */
void drawing_write(const struct drawing *d, struct output *out, enum drawing_format format,
		   const struct png_note *notes, int count);

/* ---- back ends, for drawing_write() only ---------------------------------------------------- */

/* drawing_write_png, drawing_write_svg, drawing_write_ps -- Write one format each. */
void drawing_write_png(const struct drawing *d, struct output *out,
		       const struct png_note *notes, int count);
void drawing_write_svg(const struct drawing *d, struct output *out,
		       const struct png_note *notes, int count);
void drawing_write_ps(const struct drawing *d, struct output *out, bool is_page,
		      const struct png_note *notes, int count);
