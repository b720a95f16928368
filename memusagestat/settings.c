/* settings.c -- the command line of memusagestat.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/settings.h"

#include <limits.h>
#include <string.h>

#include "cli/xmalloc.h"

enum {
	/* As in glibc's program: what is smaller is drawn in this size. */
	WIDTH_MIN = 100, HEIGHT_MIN = 80,
	SIDE_MAX = 32767,
	PIXELS_MAX = 1 << 26,	/* two bytes of memory for each */
};

static struct settings given = { .width = 800, .height = 600 };

static const struct opt options[] = {
	OPT_GROUP("Output"),
	OPT_STR('o', "output", "FILE", &given.output,
		"write the picture to FILE, '-' for standard output (default DATAFILE.png)"),
	OPT_STR('s', "string", "STRING", &given.title, "title above the graph"),
	OPT_UINT('x', "x-size", "PIXELS", &given.width, 1, SIDE_MAX,
		 "width of the picture (default 800, at least 100)"),
	OPT_UINT('y', "y-size", "PIXELS", &given.height, 1, SIDE_MAX,
		 "height of the picture (default 600, at least 80)"),
	OPT_GROUP("Graph"),
	OPT_FLAG('t', "time", &given.by_time,
		 "make the graph linear in time (default: in the number of calls)"),
	OPT_FLAG('T', "total", &given.with_total, "also draw the sum of heap and stack"),
	OPT_GROUP("Report of a recording, a massif.out, DHAT's JSON or a data file"),
	OPT_STR(0, "html", "FILE", &given.html,
		"write everything that is known as one HTML page, '-' for standard output"),
	OPT_UINT(0, "pid", "PID", &given.pid, 1, INT_MAX,
		 "take this process of a recording instead of the one that was started"),
	OPT_END
};

static const struct opt_tool tool = {
	.name = "memusagestat",
	.operands = "DATAFILE [OUTFILE]",
	.about = "Draw the heap and stack use of a run, from the data file that memusage wrote, "
		 "as a PNG picture. DATAFILE '-' is standard input.",
	.options = options,
	.usage_status = 2,
};

const struct opt_tool *settings_tool(void)
{
	return &tool;
}

static const char *default_output(const char *input)
{
	return strcmp(input, "-") == 0 ? "-" : xasprintf("%s.png", input);
}

const struct settings *settings_parse(int argc, char **argv)
{
	int first = options_parse(&tool, argc, argv);

	if (first == argc)
		options_error(&tool, "which data file?");
	if (argc - first > 2)
		options_error(&tool, "one data file and one output are enough: what is '%s'?",
			      argv[first + 2]);
	given.input = argv[first];
	if (first + 1 < argc)
		given.output = argv[first + 1];
	if (given.html && given.output)
		options_error(&tool, "--html says where the page goes: what is '%s'?",
			      given.output);
	if (!given.output)
		given.output = default_output(given.input);
	if (given.width < WIDTH_MIN)
		given.width = WIDTH_MIN;
	if (given.height < HEIGHT_MIN)
		given.height = HEIGHT_MIN;
	if ((uint64_t)given.width * given.height > PIXELS_MAX)
		options_error(&tool, "a picture of %u x %u pixels is too big: %d at most",
			      given.width, given.height, PIXELS_MAX);
	return &given;
}
