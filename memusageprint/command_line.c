/* command_line.c -- Parses the command line of memusageprint.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/command_line.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/color.h"
#include "cli/message.h"
#include "cli/units.h"
#include "cli/word_set.h"
#include "cli/xmalloc.h"
#include "formats/gate/gate_names.h"
#include "formats/leaks/leak_report.h"
#include "memusageprint/command_checks.h"
#include "memusageprint/dhat/dhat_metric.h"
#include "memusageprint/export/export_formats.h"
#include "memusageprint/text/graph.h"
#include "profile/merge/merge_readers.h"
#include "profile/model/top.h"

enum { TOP_MAX = 1000000, DEPTH_DEFAULT = 30 };

#define KINDS_UNSAID UINT_MAX

static struct settings given = {
	.output = "-", .columns = 72, .rows = 20, .threshold = 1, .top = 10,
	.sort = DHAT_TOTAL_BLOCKS,
	.group = TOP_BY_FUNCTION, .runtime_frames = RUNTIME_UNSAID,
	.tree = TREE_AT_PEAK, .spacetime_files = SPACETIME_NONE, .below_main = NO,
	.read_inlines = YES, .demangle = YES, .heap = YES,
	.xtree_file = "xtmemory.kcg.%p", .xtree_compress = YES,
	.leak_tree = NO, .leak_tree_file = "xtleak.kcg.%p",
	.leak_kinds = KINDS_UNSAID, .leak_errors = LEAK_KINDS_DEFAULT,
	.leak_resolution = LEAK_RESOLUTION_HIGH,
};

/* Accepts a percentage with or without "%". */
static const char *parse_threshold(const struct opt *option, const char *arg, void *data)
{
	size_t digits = strspn(arg, "0123456789.");
	char *rest;
	double value = strtod(arg, &rest);

	if (digits == 0 || rest != arg + digits || (*rest && strcmp(rest, "%") != 0))
		return "is not a percentage";
	if (value > 100)
		return "is out of range (0 to 100)";
	*(double *)data = value;
	return NULL;
}

/* ---- recordings -------------------------------------------------------------------------- */

/* Parses the option of a text, and the optional number of places. */
static const char *parse_text_report(const struct opt *option, const char *arg, void *data)
{
	struct settings *s = data;
	uint64_t number = s->top;

	s->text |= (unsigned)option->constant;
	if (s->report == REPORT_DEFAULT)
		s->report = REPORT_TEXT;
	if (arg && (!units_parse_count(arg, &number) || number == 0 || number > TOP_MAX))
		return "is not a number of places";
	s->top = (unsigned)number;
	return NULL;
}

static const char *parse_tree_moment(const struct opt *option, const char *arg, void *data)
{
	struct settings *s = data;
	uint64_t number = 0;

	s->text |= TEXT_TREE;
	if (s->report == REPORT_DEFAULT)
		s->report = REPORT_TEXT;
	if (!arg || strcmp(arg, "peak") == 0)
		s->tree = TREE_AT_PEAK;
	else if (strcmp(arg, "end") == 0)
		s->tree = TREE_AT_END;
	else if (strcmp(arg, "total") == 0)
		s->tree = TREE_OF_TOTAL;
	else if (units_parse_count(arg, &number) && number <= INT_MAX)
		s->tree = (int)number;
	else
		return "is neither peak, end, total nor the number of a snapshot";
	return NULL;
}

static const char *parse_leak_check(const struct opt *option, const char *arg, void *data)
{
	struct settings *s = data;
	const bool is_full = !arg || strcmp(arg, "full") == 0 || strcmp(arg, "yes") == 0;

	if (!is_full && strcmp(arg, "summary") != 0)
		return "is none of summary, yes, full";
	s->text |= TEXT_LEAK_CHECK;
	s->leak_check = is_full ? LEAK_CHECK_FULL : LEAK_CHECK_SUMMARY;
	if (s->report == REPORT_DEFAULT)
		s->report = REPORT_TEXT;
	return NULL;
}

static const char *parse_leak_kinds(const struct opt *option, const char *arg, void *data)
{
	return word_set_parse(arg, word_set_leak_kinds, data);
}

/* One file gets one report, but for texts. */
static const char *choose_report(struct settings *s, enum report report)
{
	if (s->report != REPORT_DEFAULT && s->report != REPORT_TEXT && s->report != report)
		return "of --dhat, --spacetime and --to only one can be given at a time";
	s->report = report;
	return NULL;
}

/* Splits "FROM..TO"; what a moment means depends on the recording. */
static const char *parse_growth(const struct opt *option, const char *arg, void *data)
{
	struct settings *s = data;
	const char *dots = arg ? strstr(arg, "..") : NULL;

	s->text |= TEXT_GROWTH;
	if (s->report == REPORT_DEFAULT)
		s->report = REPORT_TEXT;
	s->growth_from = s->growth_to = "";
	if (dots) {
		s->growth_from = xstrndup(arg, (size_t)(dots - arg));
		s->growth_to = dots + 2;
	} else if (arg) {
		s->growth_from = arg;
	}
	return NULL;
}

static const char *parse_dhat_report(const struct opt *option, const char *arg, void *data)
{
	return choose_report(data, REPORT_DHAT);
}

static const char *parse_spacetime_form(const struct opt *option, const char *arg, void *data)
{
	static const char *const words[] = { "text", "html", "hp" };
	struct settings *s = data;

	for (int i = 0; i < 3; i++) {
		if (!arg || strcmp(arg, words[i]) == 0) {
			s->spacetime = i;
			return choose_report(s, REPORT_SPACETIME);
		}
	}
	return "is none of text, html, hp";
}

/* Appends what --fail-if says, or what the file of --budget has. */
static const char *parse_condition(const struct opt *option, const char *arg, void *data)
{
	struct condition_list *list = data;
	static struct mu_error err;
	const int result = option->constant ? condition_list_read(list, arg, &err) :
					      condition_list_add(list, arg, &err);

	return result < 0 ? err.text : NULL;
}

static const char *parse_ci(const struct opt *option, const char *arg, void *data)
{
	enum gate_format format;
	const char *file, *why = gate_names_parse(arg, &format, &file);

	if (!why)
		opt_list_append(data, arg);
	return why;
}

/* "massif|folded|...", for --help. */
static char format_words[256];

static const char *parse_format(const struct opt *option, const char *arg, void *data)
{
	static char why[256] = "is none of ";
	struct settings *s = data;
	const struct export_format *format = export_formats_find(arg);
	size_t length = strlen(why);

	if (!format) {
		export_formats_names(why + length, sizeof(why) - length, ", ");
		return why;
	}
	s->format = format->name;
	return choose_report(s, REPORT_EXPORT);
}

#define TEXT(n, a, bit, h) \
	{ .kind = OPT_KIND_CALL, .name = (n), .arg = (a), .absent = (a) ? "" : NULL, \
	  .constant = (bit), .value = &given, .call = parse_text_report, .help = (h) }

static const struct opt options[] = {
	OPT_GROUP("Output"),
	OPT_STR('o', "output", "FILE", &given.output,
		"write to FILE instead of standard output"),
	OPT_GROUP("Report of a massif.out"),
	OPT_CALL('\0', "threshold", "PERCENT", parse_threshold, &given.threshold,
		 "leave out places with less of the total (default 1)"),
	OPT_UINT('\0', "x", "COLUMNS", &given.columns, GRAPH_SIDE_MIN, GRAPH_SIDE_MAX,
		 "width of the graph, 4 to 1000 (default 72)"),
	OPT_UINT('\0', "y", "ROWS", &given.rows, GRAPH_SIDE_MIN, GRAPH_SIDE_MAX,
		 "height of the graph, 4 to 1000 (default 20)"),
	OPT_GROUP("Report of a profile of DHAT, or of a recording as one"),
	OPT_ENUM('\0', "sort", DHAT_METRIC_WORDS, &given.sort,
		 "metric that sorts and selects places (default total-blocks)"),
	OPT_FLAG('\0', "invert", &given.invert,
		 "begin with the outermost callers, not the allocating functions"),
	OPT_STR('\0', "grep", "TEXT", &given.grep,
		"show only places with TEXT in a frame of their stack; also in --top, --leaks, "
		"--growth, --temporary and --tree"),
	OPT_GROUP("Reports of a recording"),
	TEXT("summary", NULL, TEXT_SUMMARY, "print the summary of memusage at the end of a run"),
	TEXT("plot", "N", TEXT_PLOT,
	     "draw the course of the run and the N places that held most, in the width of the "
	     "terminal (also for a massif.out)"),
	OPT_ENUM('\0', "color", COLOR_WORDS, &given.color,
		 "when to colour these reports (default auto: on a terminal)"),
	OPT_UINT('\0', "width", "COLUMNS", &given.width, LAYOUT_COLUMNS_MIN, LAYOUT_COLUMNS_MAX,
		 "lay out these reports for COLUMNS (default: the terminal's; without one, a line "
		 "for each place)"),
	TEXT("top", "N", TEXT_TOP,
	     "show the N places (default 10) that held most when the heap was largest"),
	OPT_CALL_OPTIONAL('\0', "tree", "peak|end|N|total", parse_tree_moment, &given,
			  "show the tree of callers at the peak (default), at the end, at snapshot "
			  "N, or of all allocations of the run"),
	OPT_FLAG('\0', "diff", &given.diff,
		 "compare two files, the old and the new one, of any kind and of two builds: the "
		 "places that grew, with --top, --tree, --leaks or --temporary"),
	OPT_FLAG('\0', "merge", &given.merge,
		 "report on all processes of all recordings as one: sums by place, and beside "
		 "each how processes differ, and which are outliers"),
	OPT_UINT('\0', "readers", "N", &given.readers, 1, MERGE_READERS_MAX,
		 "with --merge: read N recordings at a time (default: one for each processor, at "
		 "most 8)"),
	OPT_CALL_OPTIONAL('\0', "growth", "FROM..TO", parse_growth, &given,
			  "show the places that grew between two moments: start, peak, end, a "
			  "time like 1.5s, the number of a snapshot, or a mark's name (default: "
			  "from the middle of the run to its end, or to the peak if less than half "
			  "of that is left at the end)"),
	TEXT("leaks", "N", TEXT_LEAKS, "show the N places whose blocks were left at the end"),
	TEXT("fragmentation", "N", TEXT_FRAGMENTATION,
	     "show what keeps the heap resident, and the N places with most slack; for a recording "
	     "of memusage --fragmentation"),
	TEXT("holders", "N", TEXT_HOLDERS,
	     "show the N variables, threads and mappings that retain most of the live heap, with "
	     "the way from there to the blocks; for a recording of memusage --holders"),
	TEXT("ad-hoc", "N", TEXT_AD_HOC, "show the N places with most ad hoc events, by weight"),
	TEXT("marks", NULL, TEXT_MARKS, "list the moments that the program marked"),
	TEXT("processes", NULL, TEXT_PROCESSES,
	     "list all processes: parent, memory at the peak and at the end, how each one ended"),
	TEXT("temporary", "N", TEXT_TEMPORARY,
	     "show the N places with most blocks that were freed before the next allocation"),
	OPT_CALL_OPTIONAL('\0', "leak-check", "summary|yes|full", parse_leak_check, &given,
			  "print the leak checks of the process as Memcheck does (default full)"),
	OPT_FLAG('\0', "leak-check-forks", &given.leak_forks,
		 "... and those of forked processes that were examined at their end"),
	OPT_CALL('\0', "show-leak-kinds", "SET", parse_leak_kinds, &given.leak_kinds,
		 "with --leak-check=full: show blocks that are definite, indirect, possible, "
		 "reachable (default definite,possible), or all"),
	OPT_CALL('\0', "errors-for-leak-kinds", "SET", parse_leak_kinds, &given.leak_errors,
		 "... count these as errors (default definite,possible)"),
	OPT_UINT('\0', "error-exitcode", "N", &given.error_status, 0, 255,
		 "... end with status N if there are such errors"),
	OPT_ENUM('\0', "leak-resolution", "low|med|high", &given.leak_resolution,
		 "... tell stacks apart by 2, 4, or all of their frames (default high)"),
	OPT_ENUM('\0', "group", "line|function|file|object", &given.group,
		 "kind of place in --top, --leaks, --growth and --temporary: a function with its "
		 "lines (default), a line, a source file, or a program or library"),
	OPT_FLAG('\0', "lifetimes", &given.lifetimes,
		 "show in --top, --leaks, --growth and --temporary how long the blocks of a place "
		 "lived"),
	OPT_CALL_OPTIONAL('\0', "spacetime", "text|html|hp", parse_spacetime_form, &given,
			  "print bytes x time as Massif did before Valgrind 3.3: summary and text "
			  "(default), linked HTML, or a file for hp2ps"),
	OPT_CALL('\0', "to", format_words, parse_format, &given,
		 "convert a recording or a massif.out; folded stacks of a recording are those of "
		 "--tree"),
	OPT_UINT('\0', "pid", "PID", &given.pid, 1, INT_MAX,
		 "report on this process; without it, --top, --tree, --growth, --temporary and "
		 "--leaks are about the one that concerns them most, all else about the one that "
		 "memusage started"),
	OPT_STR('\0', "massif-out-file", "FILE", &given.massif_file,
		"write a massif.out for every process; %p is its process ID"),
	OPT_ENUM('\0', "xtree-memory", XTREE_WORDS, &given.xtree,
		 "write Valgrind's memory report for every process"),
	OPT_STR('\0', "xtree-memory-file", "FILE", &given.xtree_file,
		"name of that report (default xtmemory.kcg.%p); with .ms in it, in Massif's form"),
	OPT_ENUM('\0', "xtree-leak", "yes|no", &given.leak_tree,
		 "write the loss records of the last leak check of every process for kcachegrind, "
		 "of all kinds unless --show-leak-kinds is given"),
	OPT_STR('\0', "xtree-leak-file", "FILE", &given.leak_tree_file,
		"name of that file (default xtleak.kcg.%p)"),
	OPT_ENUM('\0', "xtree-compress-strings", "yes|no", &given.xtree_compress,
		 "write long names once in these reports (default yes)"),
	OPT_CALL('\0', "dhat", NULL, parse_dhat_report, &given,
		 "print a recording like a profile of DHAT"),
	OPT_STR('\0', "dhat-out-file", "FILE", &given.dhat_file,
		"write a profile in DHAT's format for every process; %p is its process ID"),
	OPT_ENUM('\0', "time-unit", "ns|ms|cpu|B|allocs|i", &given.time_unit,
		 "unit of time in a profile of DHAT (default ns); ignored if the recording counts "
		 "no time"),
	OPT_UINT('\0', "num-callers", "N", &given.callers, 1, 500,
		 "frames of a stack in a profile of DHAT (default: all that were recorded), and of "
		 "--leak-check (default 12)"),
	OPT_GROUP("Limits for a recording (docs/ci.md)"),
	OPT_CALL('\0', "fail-if", "CONDITION", parse_condition, &given.gate.conditions,
		 "end with status 100 if CONDITION is true: 'heap peak > 64M', 'leaks > 0', "
		 "'calls at parse > 10k', 'heap peak > +5%'; repeatable"),
	{ .kind = OPT_KIND_CALL, .name = "budget", .arg = "FILE", .constant = 1,
	  .value = &given.gate.conditions, .call = parse_condition,
	  .help = "the same with the conditions in FILE, one on each line" },
	OPT_LIST('\0', "baseline", "RECORDING", &given.gate.baseline,
		 "recording with which +5% and +1M compare; more of them are more runs"),
	OPT_FLAG('\0', "runs", &given.gate.has_table,
		 "show the least, median and most of each figure over all FILEs, and what it "
		 "depends on"),
	OPT_CALL('\0', "ci", GATE_NAMES_WORDS, parse_ci, &given.gate.ci,
		 "write what was found in a format of continuous integration, to FILE by "
		 "--ci=json:FILE, or in the place of the text; github, which is recognised by "
		 "itself: annotations below it; repeatable"),
	{ .kind = OPT_KIND_FLAG, .name = "gate-of-run", .value = &given.gate.is_of_run,
	  .help = "memusage judges its run", .hidden = true },
	{ .kind = OPT_KIND_FLAG, .name = "gate-quietly", .value = &given.gate.is_quiet,
	  .help = "say nothing of conditions that hold", .hidden = true },
	OPT_GROUP("Places and names in a recording"),
	OPT_UINT('\0', "depth", "N", &given.depth, 1, 200,
		 "frames to show of a stack (default 30)"),
	OPT_LIST('\0', "alloc-fn", "NAME", &given.alloc_fn,
		 "treat NAME as a wrapper of malloc: its callers allocate; repeatable"),
	OPT_LIST('\0', "ignore-fn", "NAME", &given.ignore_fn,
		 "leave out the allocations of NAME; repeatable"),
	OPT_ENUM('\0', "runtime-frames", "hide|show", &given.runtime_frames,
		 "hide functions of run-times (std::, the start of threads, an interpreter's loop) "
		 "in stacks, or show them (default: texts hide, other tools' formats show them)"),
	OPT_ENUM('\0', "show-below-main", "yes|no", &given.below_main,
		 "show the callers of main (default no)"),
	OPT_LIST('\0', "fullpath-after", "TEXT", &given.fullpath_after,
		 "show directories of source files, but only the part after TEXT; repeatable"),
	OPT_ENUM('\0', "read-inline-info", "yes|no", &given.read_inlines,
		 "show inlined calls (default yes)"),
	OPT_ENUM('\0', "demangle", "yes|no", &given.demangle,
		 "show names of C++ and Rust as in the source (default yes)"),
	OPT_ENUM('\0', "heap", "yes|no", &given.heap,
		 "with no, a massif.out has only its first snapshot"),
	OPT_LIST('\0', "root", "DIR", &given.root,
		 "look for programs and libraries below DIR first; repeatable"),
	OPT_FLAG('\0', "debuginfod", &given.debuginfod,
		 "ask the servers in $DEBUGINFOD_URLS for missing debug information"),
	OPT_FLAG('\0', "no-names-cache", &given.no_names_cache,
		 "neither use nor keep names in $XDG_CACHE_HOME/memusage"),
	{ .kind = OPT_KIND_UINT, .name = "live-view", .arg = "SOCKET", .min = 3, .max = INT_MAX,
	  .value = &given.live_socket, .help = "show the process whose copies are in FILE",
	  .hidden = true },
	{ .kind = OPT_KIND_UINT, .name = "live-output", .arg = "FD", .min = 3, .max = INT_MAX,
	  .value = &given.live_output, .help = "with --live-view: what the program has written",
	  .hidden = true },
	{ .kind = OPT_KIND_FLAG, .name = "once", .value = &given.once,
	  .help = "with --live-view: print it once", .hidden = true },
	{ .kind = OPT_KIND_STR, .name = "massif-desc", .arg = "TEXT",
	  .value = &given.massif_desc, .help = "description of the options in a massif.out",
	  .hidden = true },
	{ .kind = OPT_KIND_FLAG, .name = "dhat-summary", .value = &given.dhat_summary,
	  .help = "print DHAT's summary of each of its profiles", .hidden = true },
	{ .kind = OPT_KIND_FLAG, .name = "massif-journal", .value = &given.massif_log,
	  .help = "with a massif.out: print every snapshot as Massif does", .hidden = true },
	{ .kind = OPT_KIND_FLAG, .name = "massif-stats", .value = &given.massif_stats,
	  .help = "with a massif.out: print Massif's statistics", .hidden = true },
	{ .kind = OPT_KIND_UINT, .name = "started", .arg = "PID", .max = INT_MAX,
	  .value = &given.started, .help = "process that memusage started", .hidden = true },
	{ .kind = OPT_KIND_UINT, .name = "first-image", .arg = "N", .max = INT_MAX,
	  .value = &given.first_image, .help = "write no massif.out for earlier images",
	  .hidden = true },
	{ .kind = OPT_KIND_FLAG, .name = "names-ahead", .value = &given.names_ahead,
	  .help = "look up the names of a program that runs, for later reports", .hidden = true },
	{ .kind = OPT_KIND_STR, .name = "code-below", .arg = "DIR", .value = &given.code_root,
	  .help = "write which code FILE, below DIR, has", .hidden = true },
	{ .kind = OPT_KIND_LIST, .name = "symbol-rule", .arg = "RULE",
	  .value = &given.symbol_rules, .help = "with --code-below: write where these functions "
	  "are", .hidden = true },
	{ .kind = OPT_KIND_STR, .name = "build-id", .arg = "HEX", .value = &given.build_id,
	  .help = "build-id of FILE", .hidden = true },
	{ .kind = OPT_KIND_ENUM, .name = "spacetime-files", .arg = "text|html",
	  .value = &given.spacetime_files, .help = "write massif.PID.hp and .txt or .html",
	  .hidden = true },
	{ .kind = OPT_KIND_CALL, .name = "spacetime-summary", .constant = TEXT_SPACETIME,
	  .value = &given, .call = parse_text_report, .help = "print the summary", .hidden = true },
	OPT_END
};

/* At most 28 lines: with the line above them and the shell's prompt, they fit a terminal of 30. */
static const char brief[] =
	"Print a recording (memusage --record), a massif.out or DHAT's JSON as text.\n"
	"FILE may be compressed by gzip; '-' is standard input.\n"
	"\n"
	"Of a recording:\n"
	"      --top[=N]             the N places that held most at the peak (default)\n"
	"      --tree[=MOMENT]       the call tree at the peak, the end, snapshot N,\n"
	"                            or of all allocations: peak|end|N|total\n"
	"      --leaks[=N]           where blocks were allocated that were never freed\n"
	"      --temporary[=N]       where short-lived blocks were allocated\n"
	"      --growth[=FROM..TO]   the places that grew between two moments\n"
	"      --plot[=N]            the course of the run as a drawing of characters\n"
	"      --diff OLD NEW        the places that grew from one run to another\n"
	"      --merge FILE...       all processes of all recordings as one\n"
	"Which places, which process:\n"
	"      --group=KIND          a place is a line|function|file|object\n"
	"      --grep=TEXT           only call stacks with TEXT in a frame\n"
	"      --lifetimes           how long the blocks lived, too\n"
	"      --processes           all processes of the run\n"
	"      --pid=PID             this process, not the one that held most\n"
	"Of a massif.out, and of DHAT's JSON:\n"
	"      --threshold=PERCENT   leave out places with less (1)\n"
	"      --sort=METRIC         sort DHAT's places by gmax, end, total-bytes ...\n"
	"Files and other programs:\n"
	"  -o, --output=FILE         write to FILE, not to standard output\n"
	"      --to=FORMAT           convert: massif|folded|callgrind|json|pprof|dhat\n"
	"\n"
	"memusageprint --help=all lists all options; man memusageprint explains them.\n"
	"Pictures and the HTML page: memusagestat --html=run.html FILE";

/* Options of the other programs that users look for here. */
static const struct opt_elsewhere elsewhere[] = {
	{ "html", "memusagestat", "memusagestat --html=run.html FILE" },
	{ "png", "memusagestat", "memusagestat FILE run.png" },
	{ "flame", "memusagestat", "memusagestat --flame FILE flame.svg" },
	{ "bands", "memusagestat", "memusagestat --bands FILE bands.svg" },
	{ "histogram", "memusagestat", "memusagestat --histogram FILE sizes.png" },
	{ "record", "memusage", "memusage --record=run.mur PROGRAM" },
	{ NULL, NULL, NULL }
};

static const struct opt_tool tool = {
	.name = "memusageprint",
	.operands = "FILE...",
	.about = "Print a profile of memory use as text. FILE is a massif.out of "
		 "memusage, Valgrind or heaptrack, compressed by gzip or not, or a recording "
		 "kept by memusage --record; '-' is standard input.",
	.options = options,
	.brief = brief,
	.elsewhere = elsewhere,
	.usage_status = 2,
};

/* As in Memcheck the file has everything, from which its reader chooses. */
static void settle_leak_kinds(void)
{
	const bool has_tree = given.leak_tree == YES;

	if (given.leak_kinds == KINDS_UNSAID)
		given.leak_kinds = has_tree ? LEAK_KINDS_ALL : LEAK_KINDS_DEFAULT;
	if (has_tree)
		given.leak_check = LEAK_CHECK_FULL;
}

const struct settings *command_line_parse(int argc, char **argv)
{
	int first;

	export_formats_names(format_words, sizeof(format_words), "|");
	/* options_parse() moves the arguments. */
	given.typed = xcalloc((size_t)argc + 1, sizeof(*given.typed));
	memcpy(given.typed, argv, (size_t)argc * sizeof(*given.typed));
	first = options_parse(&tool, argc, argv);
	if (first == argc)
		options_error(&tool, "no file given");
	command_checks(&given, &tool, argv + first);
	settle_leak_kinds();
	/* Lists have them on demand, since they cost a column. */
	given.lifetimes |= given.report == REPORT_EXPORT && strcmp(given.format, "json") == 0;
	given.has_depth = given.depth != 0;
	if (!given.has_depth)
		given.depth = DEPTH_DEFAULT;
	given.files = argv + first;
	given.file_count = argc - first;
	return &given;
}
