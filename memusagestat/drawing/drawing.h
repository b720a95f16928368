/* drawing.h -- a picture as a list of shapes, drawn the same by every back end.
 *
 *	struct drawing d;
 *
 *	drawing_init(&d, 800, 600, theme->background);
 *	drawing_rectangle(&d, 45, 20, 700, 500, theme->plot);
 *	drawing_text(&d, 45, 15, &(struct text_style){ .size = 13, .color = theme->text }, "title");
 *	drawing_write(&d, &output, drawing_format(name), notes, count);
 *	drawing_fini(&d);
 *
 * A layout makes the list once; PNG, SVG and PostScript are written from it. Coordinates are
 * pixels of 1/96 inch, fractions allowed; x grows to the right from the left edge, y downwards from
 * the top one. Pixel i covers i to i + 1: a line one pixel wide is crisp in a PNG at i + 0.5.
 * Shapes are drawn in the order in which they were added, later ones over earlier ones. Shapes
 * that share an edge show a hair of the background between them where it is slanted: draw the
 * one behind larger and the other over it.
 *
 * Coordinates that are more than a million pixels away are drawn there, and NaN too: no number
 * makes a back end go on for ever.
 *
 * A colour is 0xRRGGBB. Texts are UTF-8 from anywhere: what is no UTF-8, and control characters,
 * become '?'. All back ends use fonts as wide as Helvetica, or make them so, hence
 * drawing_text_width() is true for each. Functions die without memory, as those of
 * cli/xmalloc.h.
 *
 * Cost: 64 bytes per shape and 16 per point.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_DRAWING_DRAWING_H
#define MEMUSAGESTAT_DRAWING_DRAWING_H

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
	enum text_anchor anchor;	/* what of the text is at the point */
	bool is_bold;
	bool is_upward;		/* turned left by 90 degrees: reads from the bottom to the top */
};

enum shape_kind {
	SHAPE_POLYGON,		/* filled; the inside is where the winding number is not 0 */
	SHAPE_LINE,		/* open, of straight pieces */
	SHAPE_TEXT,
	SHAPE_TIP,		/* what follows, until the next one, has this tool tip (SVG only) */
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
	double width, height;
	uint32_t background;
	struct shape *shape;
	uint32_t count;
	struct point *point;
	uint32_t point_count;
	uint32_t room, point_room;	/* private */
};

/* drawing_init -- an empty drawing of WIDTH x HEIGHT pixels, filled with BACKGROUND. */
void drawing_init(struct drawing *d, double width, double height, uint32_t background);

/* drawing_fini -- release it. Fine for a zeroed struct. */
void drawing_fini(struct drawing *d);

/* drawing_polygon -- fill a polygon of COUNT points; the last is joined to the first. */
void drawing_polygon(struct drawing *d, const struct point *point, size_t count,
		     uint32_t color);

/* drawing_rectangle -- fill a rectangle, by its upper left corner. */
void drawing_rectangle(struct drawing *d, double x, double y, double width, double height,
		       uint32_t color);

/* drawing_polyline -- a line through COUNT points, at least 2, WIDTH pixels wide. */
void drawing_polyline(struct drawing *d, const struct point *point, size_t count, double width,
		      uint32_t color);

/* drawing_line -- a straight line. */
void drawing_line(struct drawing *d, struct point from, struct point to, double width,
		  uint32_t color);

/* drawing_dashed -- drawing_polyline() with dashes, DASH pixels on and as many off; 0: none. They
 * go on from one piece to the next. Fewer than 2 points draw nothing. */
void drawing_dashed(struct drawing *d, const struct point *point, size_t count, double width,
		    double dash, uint32_t color);

/* drawing_dashes -- a straight line of dashes. */
void drawing_dashes(struct drawing *d, struct point from, struct point to, double width,
		    double dash, uint32_t color);

/* drawing_text -- a text whose base line begins (or ends, or has its middle) at X, Y.
 *
 * style  copied. text is copied. An empty text draws nothing.
 */
void drawing_text(struct drawing *d, double x, double y, const struct text_style *style,
		  const char *text);

/* drawing_tip -- what is added from here on has a tool tip, where the format knows such things.
 *
 * text  copied; NULL ends it.
 */
void drawing_tip(struct drawing *d, const char *text);

/* drawing_text_width -- pixels that a text takes in a style.
 *
 * Source the widths of Helvetica as its font metrics give them, which Arial, Liberation Sans and
 * Nimbus Sans have too; characters beyond Latin-1 count as wide as "0", those of East Asia as
 * twice that.
 */
double drawing_text_width(const struct text_style *style, const char *text);

/* drawing_text_fit -- TEXT, or as much of it as takes at most ROOM pixels.
 *
 * What is cut is marked by an ellipsis: in the middle, if the end of a text tells as much as its
 * beginning (paths, C++ names), else at the end.
 * Returns a text to be freed; "" if not even the ellipsis has room.
 */
char *drawing_text_fit(const struct text_style *style, const char *text, double room,
		       bool is_middle);

/* ---- writing ----------------------------------------------------------------------------- */

enum drawing_format { DRAWING_PNG, DRAWING_SVG, DRAWING_PS, DRAWING_EPS,
		      DRAWING_UNKNOWN };

/* drawing_format -- by the ending of a file name, in either case: .png, .svg, .ps or .eps. */
enum drawing_format drawing_format(const char *name);

/* drawing_write -- write the drawing.
 *
 * notes  COUNT of them: PNG keeps each as a text, SVG and PostScript know "Title" and
 *        "Software". An entry without text is left out.
 * Errors of writing stay in OUT, for output_close(); out of memory dies. FORMAT is not
 * DRAWING_UNKNOWN.
 * PNG: true colour, edges and texts anti-aliased; fonts by fontconfig, cairo's own where there are
 * none. SVG: 1.1, no scripts, no links, fonts by name. PostScript: level 2, fonts embedded, one
 * page as large as the drawing, or (EPS) to be placed on another.
 */
void drawing_write(const struct drawing *d, struct output *out, enum drawing_format format,
		   const struct png_note *notes, int count);

/* ---- back ends, for drawing_write() only ---------------------------------------------------- */

/* drawing_write_png, drawing_write_svg, drawing_write_ps -- one format each. */
void drawing_write_png(const struct drawing *d, struct output *out,
		       const struct png_note *notes, int count);
void drawing_write_svg(const struct drawing *d, struct output *out,
		       const struct png_note *notes, int count);
void drawing_write_ps(const struct drawing *d, struct output *out, bool is_page,
		      const struct png_note *notes, int count);

#endif
