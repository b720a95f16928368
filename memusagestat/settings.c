/* settings.c -- The command line of memusagestat.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/settings.h"

#include <limits.h>
#include <string.h>

#include "cli/picture_size.h"
#include "cli/xmalloc.h"

enum {
	/* As in glibc's program: a smaller picture is drawn in this size. */
	WIDTH_MIN = 100, HEIGHT_MIN = 80,
};

static struct settings given = { .theme = THEME_UNSAID };

/* --flame chooses a kind of picture and its metric. */
static const char *set_flame_kind(const struct opt *option, const char *arg, void *data)
{
	static const char *const words[] = { "peak", "end", "total", "temporary" };
	struct settings *s = data;

	(void)option;
	s->kind = PICTURE_FLAME;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!arg || strcmp(arg, words[i]) == 0) {
			s->flame = (int)i;
			return NULL;
		}
	}
	return "is none of peak, end, total, temporary";
}

static const char *set_histogram_kind(const struct opt *option, const char *arg, void *data)
{
	(void)option, (void)arg;
	((struct settings *)data)->kind = PICTURE_HISTOGRAM;
	return NULL;
}

static const char *set_bands_kind(const struct opt *option, const char *arg, void *data)
{
	(void)option, (void)arg;
	((struct settings *)data)->kind = PICTURE_BANDS;
	return NULL;
}

static const struct opt options[] = {
	OPT_GROUP("Output"),
	OPT_STR('o', "output", "FILE", &given.output,
		"write the picture to FILE, '-' for standard output (default DATAFILE.png)"),
	OPT_STR('s', "string", "STRING", &given.title, "title above the graph"),
	OPT_UINT('x', "x-size", "PIXELS", &given.width, 1, PICTURE_SIDE_MAX,
		 "width of the picture (default 800, at least 100; other pictures are wider)"),
	OPT_UINT('y', "y-size", "PIXELS", &given.height, 1, PICTURE_SIDE_MAX,
		 "height of the picture (default 600, at least 80)"),
	OPT_GROUP("Graph"),
	OPT_FLAG('t', "time", &given.by_time,
		 "make the graph linear in time (default: in the number of calls)"),
	OPT_FLAG('T', "total", &given.with_total, "also draw the sum of heap and stack"),
	OPT_ENUM(0, "theme", "classic|light|dark", &given.theme,
		 "classic is the graph of glibc's memusagestat, the default for a data file; "
		 "others are drawn light or dark"),
	OPT_GROUP("Other pictures (of recordings, massif.out, DHAT's JSON)"),
	OPT_CALL(0, "histogram", NULL, set_histogram_kind, &given,
		 "draw the number of requested blocks by size"),
	OPT_CALL_OPTIONAL(0, "flame", "peak|end|total|temporary", set_flame_kind, &given,
			  "draw the call stacks as a flame graph, of memory live at the peak "
			  "(default), live at the end, allocated in total, or of temporary "
			  "blocks"),
	OPT_CALL(0, "bands", NULL, set_bands_kind, &given,
		 "draw memory over time by place, of a recording or a massif.out; as PNG, SVG or "
		 "PostScript by the ending of the name (.png, .svg, .ps, .eps)"),
	OPT_LIST(0, "alloc-fn", "NAME", &given.alloc_fn,
		 "attribute the allocations of function NAME to its callers; repeatable"),
	OPT_GROUP("Report of a recording, a massif.out, DHAT's JSON or a data file"),
	OPT_STR(0, "html", "FILE", &given.html,
		"write a complete report as one HTML page, '-' for standard output"),
	OPT_UINT(0, "pid", "PID", &given.pid, 1, INT_MAX,
		 "use this process of a recording instead of the one that was started"),
	OPT_END
};

static const struct opt_tool tool = {
	.name = "memusagestat",
	.operands = "FILE [OUTFILE]",
	.about = "Draw the heap and stack use of a run, from the data file that memusage wrote, "
		 "as a PNG picture; or make other pictures, and a report, of it, of a "
		 "recording, a massif.out or DHAT's JSON. FILE '-' is standard input, and OUTFILE "
		 "may end in .svg, .ps or .eps.",
	.options = options,
	.usage_status = 2,
};

const struct opt_tool *settings_tool(void)
{
	return &tool;
}

static const char *default_output_name(const char *input)
{
	return strcmp(input, "-") == 0 ? "-" : xasprintf("%s.png", input);
}

static void settle_picture_size(void)
{
	given.has_width = given.width != 0;
	given.has_height = given.height != 0;
	if (!given.has_width)
		given.width = PICTURE_WIDTH;
	if (!given.has_height)
		given.height = PICTURE_HEIGHT;
	if (given.width < WIDTH_MIN)
		given.width = WIDTH_MIN;
	if (given.height < HEIGHT_MIN)
		given.height = HEIGHT_MIN;
}

const struct settings *settings_parse(int argc, char **argv)
{
	int first = options_parse(&tool, argc, argv);

	if (first == argc)
		options_error(&tool, "no data file was given");
	if (argc - first > 2)
		options_error(&tool, "more than one data file and one output: '%s'",
			      argv[first + 2]);
	given.input = argv[first];
	if (first + 1 < argc)
		given.output = argv[first + 1];
	if (given.html && given.output)
		options_error(&tool, "--html names the only output; '%s' is another",
			      given.output);
	if (!given.output)
		given.output = default_output_name(given.input);
	settle_picture_size();
	given.format = drawing_format(given.output);
	if (given.format == DRAWING_UNKNOWN)
		given.format = DRAWING_PNG;
	if (given.theme == THEME_CLASSIC &&
	    (given.kind != PICTURE_RUN || given.format != DRAWING_PNG))
		options_error(&tool, "the classic theme draws only the graph of a data file, "
				     "as PNG");
	if ((uint64_t)given.width * given.height > PICTURE_PIXELS_MAX)
		options_error(&tool, PICTURE_TOO_BIG, given.width, given.height,
			      PICTURE_PIXELS_MAX);
	return &given;
}
