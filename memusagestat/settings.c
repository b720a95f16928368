/* settings.c -- The command line of memusagestat.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/settings.h"

#include <limits.h>
#include <string.h>

#include "cli/picture_format.h"
#include "cli/picture_size.h"
#include "cli/xmalloc.h"
#include "profile/merge/merge_readers.h"

enum {
	/* As in glibc's program: a smaller picture is drawn in this size. */
	WIDTH_MIN = 100, HEIGHT_MIN = 80,
};

enum { FLAME_TEMPORARY = 3 };	/* in the order of the words of --flame */

static struct settings given = { .theme = THEME_UNSAID };

/* --flame chooses a kind of picture and its metric. */
static const char *set_flame_kind(const struct opt *option, const char *arg, void *data)
{
	static const char *const words[] = { "peak", "end", "total", "temporary" };
	struct settings *s = data;

	s->kind = PICTURE_FLAME;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!arg || strcmp(arg, words[i]) == 0) {
			s->flame = (int)i;
			return NULL;
		}
	}
	return "is none of peak, end, total, temporary";
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
	OPT_CONST(0, "histogram", &given.kind, PICTURE_HISTOGRAM,
		 "draw the number of requested blocks by size"),
	OPT_CALL_OPTIONAL(0, "flame", "peak|end|total|temporary", set_flame_kind, &given,
			  "draw the call stacks as a flame graph, of memory live at the peak "
			  "(default), live at the end, allocated in total, or of temporary "
			  "blocks"),
	OPT_FLAG(0, "diff", &given.diff,
		 "compare two files, OLD and NEW, with --html or --flame: what grew is orange, "
		 "what shrank is blue"),
	OPT_FLAG(0, "merge", &given.merge,
		 "show all processes of all FILEs as one, and how they differ; a picture is named "
		 "by --output"),
	OPT_UINT(0, "readers", "N", &given.readers, 1, MERGE_READERS_MAX,
		 "with --merge: read N recordings at a time (default: one for each processor, at "
		 "most 8)"),
	OPT_CONST(0, "bands", &given.kind, PICTURE_BANDS,
		 "draw memory over time by place, of a recording or a massif.out; as PNG, SVG or "
		 "PostScript by the ending of the name (.png, .svg, .ps, .eps)"),
	OPT_LIST(0, "alloc-fn", "NAME", &given.alloc_fn,
		 "attribute the allocations of function NAME to its callers; repeatable"),
	OPT_ENUM(0, "runtime-frames", "hide|show", &given.runtime_frames,
		 "hide functions of run-times in --flame and --bands (std::, the start of threads, "
		 "an interpreter's loop; default), or show them"),
	OPT_GROUP("Report of a recording, a massif.out, DHAT's JSON or a data file"),
	OPT_STR(0, "html", "FILE", &given.html,
		"write a complete report as one HTML page, '-' for standard output"),
	OPT_UINT(0, "pid", "PID", &given.pid, 1, INT_MAX,
		 "use this process of a recording instead of the one that held most"),
	OPT_FLAG(0, "no-names-cache", &given.no_names_cache,
		 "neither use nor keep names in $XDG_CACHE_HOME/memusage"),
	OPT_END
};

/* At most 28 lines: with the line above them and the shell's prompt, they fit a terminal of 30. */
static const char brief[] =
	"Draw the memory use of a run. FILE is a data file (memusage --data), a\n"
	"recording (memusage --record), a massif.out or DHAT's JSON, compressed by gzip\n"
	"or not. OUTFILE ends in .png, .svg, .ps or .eps (default FILE.png).\n"
	"\n"
	"One page with everything:\n"
	"      --html=PAGE           write it to PAGE; a browser shows it\n"
	"Pictures:\n"
	"  (no option)               heap and stack over the run\n"
	"      --flame[=METRIC]      call stacks as a flame graph:\n"
	"                            peak|end|total|temporary\n"
	"      --diff                with --html or --flame: what grew from OLD to NEW\n"
	"      --merge               all processes of all FILEs as one\n"
	"      --bands               memory over time by place\n"
	"      --histogram           blocks by size\n"
	"How they look:\n"
	"  -t, --time                linear in time, not in the number of calls\n"
	"  -T, --total               the sum of heap and stack, too\n"
	"  -s, --string=STRING       a title\n"
	"  -x, --x-size=PIXELS       width (800)\n"
	"  -y, --y-size=PIXELS       height (600)\n"
	"      --theme=THEME         classic|light|dark\n"
	"Which process:\n"
	"      --pid=PID             this process, not the one that held most\n"
	"\n"
	"Examples:\n"
	"  memusagestat --html=run.html run.mur\n"
	"  memusagestat --flame run.mur flame.svg\n"
	"memusagestat --help=all lists all options; man memusagestat explains them.";

#define REPORT(name, value) { name, "memusageprint", "memusageprint --" name value " FILE" }

/* Options of the other programs that users look for here. */
static const struct opt_elsewhere elsewhere[] = {
	REPORT("top", ""), REPORT("tree", ""), REPORT("leaks", ""), REPORT("temporary", ""),
	REPORT("plot", ""), REPORT("to", "=json"), REPORT("processes", ""), REPORT("summary", ""),
	{ "png", "memusage", "memusage --png=run.png PROGRAM" },
	{ "record", "memusage", "memusage --record=run.mur PROGRAM" },
	{ NULL, NULL, NULL }
};

const struct opt_tool settings_tool = {
	.name = "memusagestat",
	.operands = "FILE [OUTFILE]",
	.about = "Draw the heap and stack use of a run, from the data file that memusage wrote, "
		 "as a PNG picture; or make other pictures, and a report, of it, of a "
		 "recording, a massif.out or DHAT's JSON. FILE '-' is standard input, and OUTFILE "
		 "may end in .svg, .ps or .eps.",
	.options = options,
	.brief = brief,
	.elsewhere = elsewhere,
	.usage_status = 2,
};

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

/* Takes the operands of --diff but the last one. Returns how many. */
static int take_old_file(int count, char **file)
{
	const struct opt_tool *tool = &settings_tool;

	if (count < 2)
		options_error(tool, "--diff compares two files, the old and the new one");
	if ((given.kind == PICTURE_FLAME) == (given.html != NULL))
		options_error(tool, "--diff makes a page or a flame graph of two files: "
				    "add --html=PAGE or --flame");
	if (given.flame == FLAME_TEMPORARY || given.pid)
		options_error(tool, "--flame=temporary and --pid do not suit --diff");
	given.old_input = file[0];
	return 1;
}

static void take_files(int count, char **file)
{
	const int first = given.diff ? take_old_file(count, file) : 0;

	if (count - first > 2)
		options_error(&settings_tool, "'%s' is one file too many: FILE is read, OUTFILE "
			      "is written", file[first + 2]);
	given.input = file[first];
	if (first + 1 < count)
		given.output = file[first + 1];
}

/* Recordings are read twice, so that none can be a pipe. */
static void take_merged_files(int count, char **file)
{
	const struct opt_tool *tool = &settings_tool;

	if (given.diff || given.pid)
		options_error(tool, "--diff and --pid do not suit --merge (memusageprint --merge "
				    "--to=recording makes a recording, which --diff compares)");
	if (!given.html && !given.output)
		options_error(tool, "--merge reads all files: name the picture by --output, or "
				    "add --html=PAGE");
	for (int i = 0; i < count; i++) {
		if (strcmp(file[i], "-") == 0)
			options_error(tool, "--merge reads files, and no standard input");
	}
	given.file = (const char *const *)file;
	given.files = (unsigned)count;
	given.input = file[0];
}

const struct settings *settings_parse(int argc, char **argv)
{
	const struct opt_tool *tool = &settings_tool;
	int first = options_parse(tool, argc, argv);
	const char *ending;

	if (first == argc)
		options_error(tool, "no file given");
	if (given.readers > 0 && !given.merge)
		options_error(tool, "--readers is about recordings that are read together: add "
			      "--merge");
	if (given.merge)
		take_merged_files(argc - first, argv + first);
	else
		take_files(argc - first, argv + first);
	if (given.html && given.output)
		options_error(tool, "--html names the only output; '%s' is another",
			      given.output);
	if (!given.output)
		given.output = default_output_name(given.input);
	settle_picture_size();
	ending = given.html ? NULL : picture_format_foreign(given.output);
	if (ending)
		options_error(tool, "%s: pictures are PNG (.png), SVG (.svg) or PostScript (.ps, "
			      ".eps), not %s", given.output, ending);
	given.format = drawing_format(given.output);
	if (given.format == DRAWING_UNKNOWN)
		given.format = DRAWING_PNG;
	if (given.theme == THEME_CLASSIC &&
	    (given.kind != PICTURE_RUN || given.format != DRAWING_PNG))
		options_error(tool, "the classic theme draws only the graph of a data file, "
				     "as PNG");
	if ((uint64_t)given.width * given.height > PICTURE_PIXELS_MAX)
		options_error(tool, PICTURE_TOO_BIG, given.width, given.height,
			      PICTURE_PIXELS_MAX);
	return &given;
}
