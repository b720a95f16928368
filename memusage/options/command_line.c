/* command_line.c -- The options, and the settings that they and the environment make.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/command_line.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/color.h"
#include "cli/layout.h"
#include "cli/output.h"
#include "cli/picture_size.h"
#include "cli/units.h"
#include "formats/xtree.h"
#include "memusage/options/attach_options.h"
#include "memusage/options/core_options.h"
#include "memusage/options/gate_check.h"
#include "memusage/options/idle_options.h"
#include "memusage/options/output_options.h"
#include "memusage/options/recording_options.h"
#include "profile/symbols/allocrule.h"
#include "recording/env.h"

enum {
	BUFFER_MAX = 32768,	/* glibc's maximum and default */
	TOP_DEFAULT = 10,
	LOG_LIMIT_MIN = 64 << 10,	/* some chunks for each of some threads */
	FAILURE = 125
};

#define GROUP_WORDS "line|function|file|object"
#define RUNTIME_WORDS "hide|show"

static struct settings settings;
static struct dhat_and_massif shared = { &settings.dhat, &settings.massif };

/* As in glibc (atoi), any text that is not a number from 1 to the maximum means the maximum. */
static int buffer_size(const char *text)
{
	long records = strtol(text, NULL, 10);

	return records < 1 || records > BUFFER_MAX ? BUFFER_MAX : (int)records;
}

static const char *set_buffer(const struct opt *option, const char *arg, void *data)
{
	*(int *)data = buffer_size(arg);
	return NULL;
}

static const char *set_top(const struct opt *option, const char *arg, void *data)
{
	unsigned int number = TOP_DEFAULT;

	if (arg && !settings_parse_places(arg, &number))
		return "must be a whole number from 1 to 1000000";
	*(unsigned int *)data = number;
	return NULL;
}

/* Sets a list's option, and the number of its places, which is optional. */
static const char *set_list(const struct opt *option, const char *arg, void *data)
{
	if (arg && !settings_parse_places(arg, &settings.places))
		return "must be a whole number from 1 to 1000000";
	*(bool *)data = true;
	return NULL;
}

static const char *set_verbose(const struct opt *option, const char *arg, void *data)
{
	struct settings *s = data;

	s->massif.is_talkative |= s->verbose;
	s->verbose = true;
	return NULL;
}

#define M(name, arg, help) MASSIF_OPTION(&settings.massif, name, arg, help)
#define X(name, arg, help) OPT_CALL(0, name, arg, massif_core_option, &settings.massif, help)
#define C(name) MASSIF_CORE(&settings.massif, name),
#define CJ(name, only, why) C(name)

static const struct opt options[] = {
	OPT_GROUP("What is recorded"),
	OPT_STR('n', "progname", "NAME", &settings.progname,
		"record only programs called NAME (the last part of argv[0])"),
	OPT_FLAG('m', "mmap", &settings.mmap, "count calls of mmap, mremap and munmap, too"),
	OPT_ENUM(0, "own-malloc", "ignore|patch", &settings.own_malloc,
		 "how to treat a malloc that is part of the program: ignore it, or patch its code "
		 "in memory to record its calls (default)"),
	OPT_LIST(0, "alloc-symbol", "NAME", &settings.alloc_symbol,
		 "record function NAME as an allocator that takes a size and returns a block; "
		 "NAME:size=argN[*argM],ptr=ret|*argN,old=argN tells where size and block are; "
		 "auto: all prefixed functions of jemalloc, mimalloc, tcmalloc and rpmalloc; "
		 "repeatable"),
	OPT_LIST(0, "free-symbol", "NAME", &settings.free_symbol,
		 "record function NAME, or NAME:ptr=argN, as the one that frees such blocks; "
		 "repeatable"),
	OPT_ENUM(0, "trace-children", "yes|no", &settings.trace_children,
		 "record programs that the program executes (default yes; with --massif and --dhat "
		 "no); forked processes are always recorded"),
	OPT_ENUM(0, "client-requests", "no|yes|massif|running", &settings.client_requests,
		 "serve Valgrind's macros (VALGRIND_MALLOCLIKE_BLOCK ...) in programs built with "
		 "them: not at all (default), all, those that Massif serves, or all with "
		 "RUNNING_ON_VALGRIND being 1"),
	OPT_CALL_OPTIONAL(0, "sample", "BYTES|auto", sample_option, &settings.sample,
			  "record about one block for each BYTES allocated (1K to 256M, a power "
			  "of two) and estimate the rest, at a small part of the cost; auto "
			  "(default): 128K, and more if that is too often"),
	OPT_FLAG(0, "start-paused", &settings.start_paused,
		 "record nothing until memusage --pid=PID start asks for it; until then a call of "
		 "malloc costs below a nanosecond more"),
	OPT_GROUP("Report"),
	OPT_STR('o', "output", "FILE", &settings.output,
		"write the report to FILE instead of standard error"),
	OPT_FLAG('q', "quiet", &settings.quiet, "write no report"),
	{ .kind = OPT_KIND_CALL,
	  .letter = 'v',
	  .name = "verbose",
	  .value = &settings,
	  .call = set_verbose,
	  .help = "add threads, times and the recorder's own memory to the report; if given twice "
		  "with --massif, print every snapshot when it is taken" },
	OPT_ENUM(0, "color", COLOR_WORDS, &settings.color,
		 "when to colour the report (default auto: on a terminal)"),
	OPT_UINT(0, "width", "COLUMNS", &settings.width, LAYOUT_COLUMNS_MIN, LAYOUT_COLUMNS_MAX,
		 "lay out --top, --tree, --leaks and --temporary for COLUMNS (default: the "
		 "terminal's; without one, a line for each place)"),
	OPT_ENUM(0, "children", "lines|summary|none|files|merge", &settings.children,
		 "report on other processes: a line each (default), a whole summary each, nothing, "
		 "a line and a data file FILE.PID each; or make reports of places, --top and the "
		 "like, of all processes as one"),
	OPT_GROUP("Reports by call stack (call stacks are recorded)"),
	OPT_CALL_OPTIONAL(0, "top", "N", set_top, &settings.top,
			  "show the N places (default 10) that held most memory at the peak of the "
			  "heap"),
	OPT_FLAG(0, "tree", &settings.tree, "show the call tree of the memory held at the peak"),
	OPT_CALL_OPTIONAL(0, "leaks", "N", set_list, &settings.leaks,
			  "show the N places (default 10) that allocated most of the blocks that "
			  "were never freed"),
	OPT_CALL_OPTIONAL(0, "fragmentation", "N", set_list, &settings.fragmentation,
			  "show what keeps the heap resident when the program ends: live blocks, "
			  "slack beside them, free pages, and the N places whose blocks hold most "
			  "pages"),
	OPT_CALL_OPTIONAL(0, "holders", "N", set_list, &settings.holders,
			  "show what holds the blocks that are live when the program ends: the N "
			  "variables, threads and mappings that retain most, with the way from "
			  "there to the blocks"),
	OPT_STR_OPTIONAL(0, "growth", "FROM..TO", &settings.growth, "",
		"show the places that grew between two moments: start, peak, end, a time like 1.5s "
		"or a mark's name (default: in the second half of the run)"),
	OPT_CALL_OPTIONAL(0, "temporary", "N", set_list, &settings.temporary,
			  "show the N places (default 10) that allocated most short-lived blocks"),
	OPT_ENUM(0, "group", GROUP_WORDS, &settings.group,
		 "kind of place in these lists: a function with its lines (default), a line, a "
		 "source file, or a program or library"),
	OPT_STR(0, "grep", "TEXT", &settings.grep,
		"show only stacks with TEXT in a function, source file or object"),
	OPT_ENUM(0, "runtime-frames", RUNTIME_WORDS, &settings.runtime_frames,
		 "hide functions of run-times in stacks (std::, the start of threads, an "
		 "interpreter's loop), or show them (default: texts hide, other tools' formats "
		 "show them)"),
	OPT_STR(0, "html", "FILE", &settings.html,
		"write all of this as one HTML page; %p in FILE is the process ID"),
	OPT_STR_OPTIONAL(0, "serve", "ADDRESS", &settings.serve, "",
			 "answer requests by HTTP while the program runs, for pprof, Prometheus "
			 "and browsers, at a Unix socket (unix:PATH, or without ADDRESS one of "
			 "this user) or a TCP port (HOST:PORT)"),
	OPT_STR(0, "push", "URL", &settings.push.url,
		"send profiles to a Pyroscope server while the program runs (unix:PATH: at a "
		"socket), or by otlp:URL to one of OpenTelemetry's (alpha)"),
	OPT_STR(0, "push-interval", "TIME", &settings.push.interval,
		"... every TIME: 15s (default), 500ms, 1m"),
	OPT_LIST(0, "label", "KEY=VALUE", &settings.push.label,
		 "... with this label; service_name is by default the name of the program"),
	OPT_STR(0, "push-headers", "FILE", &settings.push.headers,
		"... and with the headers in FILE, a line each: Authorization, X-Scope-OrgID"),
	OPT_STR(0, "push-ca", "FILE", &settings.push.authority,
		"... if the certificate of its https URL is signed by an authority in FILE (PEM)"),
	OPT_FLAG(0, "live", &settings.live,
		 "watch the program in the terminal while it runs: curve, places, threads, "
		 "processes; q leaves the view, and the program runs on"),
	OPT_FLAG(0, "once", &settings.once,
		 "with --pid=PID live: print the view once, as text"),
	OPT_FLAG(0, "debuginfod", &settings.debuginfod,
		 "ask the servers in $DEBUGINFOD_URLS for missing debug information"),
	OPT_FLAG(0, "no-names-cache", &settings.no_names_cache,
		 "neither use nor keep names in $XDG_CACHE_HOME/memusage"),
	OPT_GROUP("Massif (Valgrind's options; most of them ask for --massif)"),
	OPT_FLAG(0, "massif", &settings.massif.is_wanted, "write a profile as Massif does"),
	M("massif-out-file", "FILE", "write the profile to FILE (default massif.out.%p)"),
	OPT_CALL(0, "time-unit", "ms|B|i", dhat_time_unit, &shared,
		 "unit of time: milliseconds (default), bytes allocated and freed, or instructions "
		 "(if the CPU lets programs count them, or with --accesses=emulate); for --dhat, "
		 "see there"),
	M("max-snapshots", "N", "maximum number of snapshots, 10 to 1000 (default 100)"),
	M("detailed-freq", "N", "make every Nth snapshot detailed (default 10)"),
	M("peak-inaccuracy", "PERCENT",
	  "record a new peak only if it is larger by PERCENT "
	  "(default 1)"),
	M("heap", "yes|no", "profile the heap (default yes); with no, the profile is empty"),
	M("heap-admin", "BYTES",
	  "administrative bytes counted for each block, 0 to 1024 (default "
	  "8)"),
	M("alignment", "BYTES",
	  "minimum alignment of blocks, 16 to 4096 (default 16); it affects "
	  "the profile, not the program"),
	M("stacks", "yes|no", "add the depth of stacks, as events and samples see it (default no)"),
	M("pages-as-heap", "yes|no", "count all mapped pages instead of blocks (default no)"),
	M("depth", "N", "maximum number of frames shown of a stack, 1 to 200 (default 30)"),
	M("threshold", "PERCENT", "merge places below PERCENT of the total (default 1)"),
	M("alloc-fn", "NAME",
	  "treat function NAME as an allocator and show its callers; "
	  "repeatable"),
	M("ignore-fn", "NAME", "ignore what function NAME allocates; repeatable"),
	M("show-below-main", "yes|no", "show the frames below main (default no)"),
	X("xtree-memory", XTREE_WORDS,
	  "write the call tree of memory held at the end (full: also of memory allocated and "
	  "freed) for kcachegrind"),
	X("xtree-memory-file", "FILE",
	  "write that tree to FILE (default xtmemory.kcg.%p); if it "
	  "ends in .ms, in Massif's format"),
	X("xtree-compress-strings", "yes|no",
	  "write each name only once in that file (default "
	  "yes)"),
	OPT_FLAG(0, "spacetime", &settings.spacetime,
		 "measure bytes x time, as Massif did before Valgrind 3.3: a summary and the files "
		 "massif.PID.hp, .ps and .txt"),
	OPT_ENUM(0, "format", "text|html", &settings.spacetime_form,
		 "with --spacetime: write massif.PID.txt (default) or massif.PID.html"),
	OPT_GROUP("Automatic snapshots (detailed, as Massif writes them)"),
	OPT_CALL(0, "snapshot-signal", "SIGNAL", triggers_signal, &settings.triggers,
		 "take one when a process receives SIGNAL (USR2, 12 ...); the signal's own action "
		 "follows"),
	OPT_CALL(0, "snapshot-when", "CONDITION", triggers_when, &settings.triggers,
		 "take one when heap, total, stacks, rss or blocks exceeds a threshold, as in "
		 "'heap>500M' or heap:500M, or the control group a part of its memory limit, as in "
		 "cgroup:90%; repeatable"),
	OPT_STR(0, "snapshot-file", "FILE", &settings.triggers.file,
		"write each to FILE (default massif.vgdb.out.%p.%n); %n is its number"),
	OPT_GROUP("DHAT (Valgrind's options)"),
	OPT_FLAG(0, "dhat", &settings.dhat.is_wanted,
		 "write a profile as DHAT does: for each place of allocation its total, the "
		 "lifetimes of its blocks and the most that was live; --time-unit is then ns "
		 "(default), ms, cpu, B, allocs or i"),
	OPT_CALL(0, "dhat-out-file", "FILE", dhat_out_file, &settings.dhat,
		 "write the profile to FILE (default dhat.out.%p)"),
	OPT_UINT(0, "num-callers", "N", &settings.dhat.callers, 1, 500,
		 "number of frames that distinguish places of allocation (default 12)"),
	OPT_GROUP("Reads, writes and copies (as DHAT counts them)"),
	OPT_ENUM(0, "accesses", "none|hooks|emulate", &settings.accesses.engine,
		 "count reads and writes of blocks: not at all (default), by hooks in a program "
		 "built with --print-cflags, or by emulation of any program, at about a tenth of "
		 "its speed"),
	OPT_ENUM(0, "mode", "heap|copy|ad-hoc", &settings.mode,
		 "what to record: allocations (default), copies of memory (memcpy, strcpy ...), or "
		 "the events that the program marks with MEMUSAGE_AD_HOC_EVENT or "
		 "DHAT_AD_HOC_EVENT"),
	OPT_CALL(0, "print-cflags", "gcc|clang", accesses_print_cflags, NULL,
		 "print the compiler options that --accesses=hooks needs"),
	OPT_CALL(0, "print-libs", "gcc|clang", accesses_print_libs, NULL,
		 "print the linker options that it needs"),
	LEAK_OPTIONS(settings.leak_check),
	GATE_OPTIONS(settings.gate),
	OPT_GROUP("Data"),
	OPT_STR('d', "data", "FILE", &settings.data,
		"write every change of the heap to FILE; %p in FILE is the process ID, %q{VAR} an "
		"environment variable"),
	OPT_STR_OPTIONAL(0, "record", "FILE", &settings.record, "",
			 "keep the recording in FILE (default memusage.%p.mur)"),
	OPT_FLAG(0, "durable", &settings.durable,
		 "with --record: keep what is recorded in FILE.arena, so that even a kill of "
		 "memusage and the program together loses nothing: memusage --finish FILE then "
		 "makes the reports"),
	OPT_CONST('u', "unbuffered", &settings.buffer, 1, "write each change to FILE at once"),
	OPT_CALL('b', "buffer", "N", set_buffer, &settings.buffer,
		 "let FILE lag behind by at most N changes (default and maximum 32768) and 100 ms"),
	OPT_FLAG(0, "no-timer", &settings.no_timer, "do not sample the stack with a timer"),
	OPT_SIZE(0, "log-limit", "SIZE", &settings.log_limit,
		 LOG_LIMIT_MIN,
		 "maximum memory per process for changes that wait to be written (default 256M)"),
	OPT_GROUP("Picture (drawn by memusagestat)"),
	OPT_STR('p', "png", "FILE", &settings.png, "draw the run as a PNG picture in FILE"),
	OPT_FLAG('t', "time-based", &settings.time_based, "make the picture linear in time"),
	OPT_FLAG('T', "total", &settings.total, "also draw the sum of heap and stack"),
	OPT_STR(0, "title", "STRING", &settings.title, "title of the picture"),
	OPT_UINT('x', "x-size", "PIXELS", &settings.x_size, 1, PICTURE_SIDE_MAX,
		 "width of the picture (default 800)"),
	OPT_UINT('y', "y-size", "PIXELS", &settings.y_size, 1, PICTURE_SIDE_MAX,
		 "height of the picture (default 600)"),
	{ .kind = OPT_KIND_CALL,
	  .name = "tool",
	  .arg = "massif|dhat",
	  .value = &shared,
	  .call = dhat_tool,
	  .help = "an option of Valgrind's",
	  .hidden = true },
	CORE_OPTIONS_MEANT(C) CORE_OPTIONS_PASSED(C) CORE_OPTIONS_JUDGED(CJ) CORE_OPTIONS_IDLE(C)
		OPT_GROUP("Other uses"),
	OPT_UINT(0, "pid", "PID", &settings.pid, 1, INT_MAX,
		 "ask process PID, which runs under memusage: status, top [N], tree, leaks [N], "
		 "growth [FROM..TO], temporary [N], pages [FILE], plot, live, html FILE, "
		 "record [FILE], snapshot [FILE], detailed_snapshot [FILE], all_snapshots [FILE], "
		 "xtmemory [FILE], mark [NAME], stop, start, help"),
	OPT_UINT(0, "attach", "PID", &settings.attach, 1, INT_MAX,
		 "record process PID, which runs already, from now on; until it ends, Ctrl-C, or "
		 "--duration, and then leave it as it was"),
	OPT_CALL(0, "duration", "TIME", attach_options_duration, &settings.duration_ns,
		 "with --attach: record for TIME: 30s, 500ms, 5m, 1h"),
	OPT_UINT(0, "detach", "PID", &settings.detach, 1, INT_MAX,
		 "take the recorder away from process PID that a killed memusage --attach has "
		 "left there"),
	OPT_FLAG(0, "finish", &settings.finish,
		 "complete the recording FILE of a run with --durable that was killed, and make "
		 "the reports of the other options; or report the recordings FILE... that the "
		 "library left without memusage, and remove them"),
	OPT_END
};

static const char *const legacy[] = {
	"progname", "png", "data", "unbuffered", "buffer", "no-timer", "mmap", "time-based",
	"total", "title", "x-size", "y-size", "help", "usage", "version", NULL
};

#define REPORT(name, value) { name, "memusageprint", "memusageprint --" name value " FILE" }

/* Options of memusageprint and memusagestat that users look for here. */
static const struct opt_elsewhere elsewhere[] = {
	REPORT("plot", ""), REPORT("to", "=json"), REPORT("lifetimes", ""), REPORT("marks", ""),
	REPORT("summary", ""), REPORT("sort", "=end"), REPORT("ad-hoc", ""),
	REPORT("invert", ""), REPORT("root", "=DIR"), REPORT("processes", ""),
	REPORT("threshold", "=5"),
	{ "flame", "memusagestat", "memusagestat --flame FILE flame.svg" },
	{ "bands", "memusagestat", "memusagestat --bands FILE bands.svg" },
	{ "histogram", "memusagestat", "memusagestat --histogram FILE sizes.png" },
	{ "theme", "memusagestat", "memusagestat --theme=dark FILE run.png" },
	{ NULL, NULL, NULL }
};

/* At most 28 lines: with the line above them and the shell's prompt, they fit a terminal of 30. */
static const char brief[] =
	"Run PROGRAM and report its memory usage.\n"
	"\n"
	"Who holds the memory:\n"
	"      --top[=N]             the N places that held most at the peak (10)\n"
	"      --tree                the call tree of the memory held at the peak\n"
	"      --leaks               where blocks were allocated that were never freed\n"
	"      --temporary           where short-lived blocks were allocated\n"
	"      --html=FILE           all of this as one HTML page\n"
	"      --live                watch it in the terminal while PROGRAM runs\n"
	"      --serve[=ADDRESS]     ask by HTTP: pprof, Prometheus, a browser\n"
	"      --push=URL            send profiles to Pyroscope or OpenTelemetry\n"
	"      --record[=FILE]       keep the recording, for memusageprint FILE\n"
	"Curves and files:\n"
	"  -p, --png=FILE            draw heap and stack of the run in FILE\n"
	"  -t, --time-based          the picture linear in time\n"
	"  -d, --data=FILE           every change of the heap, for memusagestat FILE\n"
	"      --massif, --dhat      a profile as Valgrind's tools write it\n"
	"Report and processes:\n"
	"  -o, --output=FILE         write the report to FILE, not to standard error\n"
	"  -q, --quiet               write no report\n"
	"  -v, --verbose             threads, times and the recorder's memory, too\n"
	"  -m, --mmap                count calls of mmap, mremap and munmap, too\n"
	"  -n, --progname=NAME       record only programs called NAME\n"
	"      --pid=PID COMMAND     ask a process under memusage: status, live, help\n"
	"      --attach=PID          record a process that runs already\n"
	"\n"
	"memusage --help=all lists all options by topic; man memusage explains them.\n"
	"The exit status is that of PROGRAM; 125 if memusage fails, 126 if PROGRAM\n"
	"cannot be run, 127 if it is not found.";

const struct opt_tool command_line_tool = {
	.name = "memusage",
	.operands = "PROGRAM [ARG]...",
	.about = "Run PROGRAM and report its memory usage.",
	.footer = "Examples:\n"
		  "  memusage ls -l               a report of ls when it ends\n"
		  "  memusage -p ls.png ls -l     the same with a picture\n"
		  "  memusage -d out.dat -o report.txt make\n"
		  "  memusage --top ls -l         who allocated most\n"
		  "  memusage --massif ls -l      a profile for memusageprint or ms_print\n"
		  "The exit status is that of PROGRAM; 125 if memusage fails, 126 if PROGRAM "
		  "cannot be run, 127 if it is not found.",
	.options = options,
	.legacy = legacy,
	.brief = brief,
	.elsewhere = elsewhere,
	.usage_status = FAILURE,
	.stop_at_operand = true,
};

/* glibc's variables are the defaults of the options of the same meaning. */
static void read_environment(void)
{
	const char *buffer = getenv(MU_ENV_BUFFER_SIZE);
	const char *data = getenv(MU_ENV_OUTPUT);

	settings.progname = getenv(MU_ENV_PROG_NAME);
	settings.data = data && *data ? data : NULL;
	settings.buffer = buffer ? buffer_size(buffer) : BUFFER_MAX;
	settings.no_timer = getenv(MU_ENV_NO_TIMER) != NULL;
	settings.mmap = getenv(MU_ENV_TRACE_MMAP) != NULL;
}

/* Reports a file name that cannot be made before the program runs, not after it. */
static void check_pattern(const char *option, const char *pattern)
{
	char why[128], *name = pattern ? output_expand(pattern, 1, getenv, why) : NULL;

	if (pattern && !name)
		options_error(&command_line_tool, "--%s=%s: %s", option, pattern, why);
	free(name);
}

static void check_symbols(const char *option, const struct opt_list *list, bool is_free)
{
	static struct allocrule rule;

	for (size_t i = 0; i < list->count; i++) {
		const char *why = allocrule_parse(&rule, list->item[i], is_free);

		if (why)
			options_error(&command_line_tool, "--%s=%s %s", option, list->item[i], why);
	}
}

/* The view needs call stacks. When it is left and the program has ended, the places are wanted, not
 * a histogram. A merge has nothing but places. */
static void settle_live(void)
{
	if (settings.serve && strcmp(settings.serve, "unix:") == 0)
		options_error(&command_line_tool, "--serve=unix: the path is missing");
	if (settings.serve && settings.pid)
		options_error(&command_line_tool, "--serve starts a program: for process %u run "
			      "memusageserve --pid=%u --serve", settings.pid, settings.pid);
	if (settings.push.url && settings.pid)
		options_error(&command_line_tool, "--push starts a program: for process %u run "
			      "memusageserve --pid=%u --push", settings.pid, settings.pid);
	if (!settings.push.url &&
	    (settings.push.interval || settings.push.headers || settings.push.authority ||
	     settings.push.label.count))
		options_error(&command_line_tool,
			      "--push=URL is missing, for --label and the like");
	if (settings.live && settings.pid)
		options_error(&command_line_tool, "--live starts a program: with --pid=%u give the "
			      "command live", settings.pid);
	if (settings.once && !settings.pid)
		options_error(&command_line_tool, "--once is for a process that runs: "
			      "memusage --pid=PID live --once");
	if (settings.live && settings.mode == RUN_MODE_AD_HOC)
		options_error(&command_line_tool, "--live shows the heap: it cannot be combined "
			      "with --mode=ad-hoc");
	if ((settings.live || settings.children == CHILDREN_MERGE) &&
	    !settings_has_answer(&settings))
		settings.top = TOP_DEFAULT;
}

/* Options that suit other reports ask for Massif's only if no other report is asked for. */
static void settle_massif(void)
{
	struct massif_settings *m = &settings.massif;
	bool is_for_text = settings_has_text(&settings) || settings.record || settings.html ||
			   settings.serve || settings.push.url ||
			   m->xtree != XTREE_NONE || settings.dhat.is_wanted || settings.spacetime;

	m->is_meant |= settings.dhat.has_unit && !settings.dhat.is_wanted;
	m->is_wanted |= m->is_meant || (m->is_given && !is_for_text);
	if (m->log_file && !settings.output)
		settings.output = m->log_file;
	settings.verbose |= m->is_verbose;
	if (settings.trace_children == TRACE_UNSAID)
		settings.trace_children =
			settings_has_files(&settings) || settings.attach ? TRACE_NO : TRACE_YES;
}

static void check_triggers(void)
{
	const struct trigger_settings *t = &settings.triggers;
	unsigned int uses = 0;
	char why[128], *name = output_expand_next(t->file, 1, &uses, getenv, why);

	if (!name || *name == '\0')
		options_error(&command_line_tool, "--snapshot-file=%s: %s", t->file,
			      name ? "is empty" : why);
	free(name);
	if (triggers_watches(t, MU_WATCH_STACKS) && !settings.massif.stacks)
		options_error(&command_line_tool, "--snapshot-when=stacks needs --stacks=yes");
	if (triggers_wanted(t) && settings.mode != RUN_MODE_HEAP)
		options_error(&command_line_tool,
			      "snapshots show allocations: they cannot be combined "
			      "with --mode=%s",
			      settings.mode == RUN_MODE_COPY ? "copy" : "ad-hoc");
}

const struct settings *command_line_parse(int argc, char **argv)
{
	const char *from_environment;
	struct settings defaults;
	int first;

	massif_reset(&settings.massif);
	dhat_reset(&settings.dhat);
	triggers_reset(&settings.triggers);
	leaks_reset(&settings.leak_check);
	settings = (struct settings){ .color = COLOR_AUTO, .log_limit = UINT64_C(256) << 20,
				      .trace_children = TRACE_UNSAID, .own_malloc = OWN_PATCH,
				      .group = GROUP_FUNCTION, .runtime_frames = RUNTIME_UNSAID,
				      .massif = settings.massif, .dhat = settings.dhat,
				      .triggers = settings.triggers,
				      .leak_check = settings.leak_check };
	read_environment();
	from_environment = settings.progname;
	defaults = settings;
	first = options_parse(&command_line_tool, argc, argv);
	/* An empty name on the command line means "not given", as in glibc. */
	if (settings.progname != from_environment && *settings.progname == '\0')
		settings.progname = NULL;
	leaks_settle(&settings.leak_check);
	settle_live();
	settle_massif();
	check_symbols("alloc-symbol", &settings.alloc_symbol, false);
	check_symbols("free-symbol", &settings.free_symbol, true);
	check_pattern("massif-out-file", settings.massif.file);
	check_pattern("xtree-memory-file", settings.massif.xtree_file);
	check_pattern("xtree-leak-file", settings.leak_check.tree_file);
	check_pattern("dhat-out-file", settings.dhat.file);
	check_triggers();
	settings.accesses.copies = settings.mode == RUN_MODE_COPY;
	gate_check(&settings, &command_line_tool,
		   settings_has_places(&settings)  ? "a report of places" :
		   settings_has_files(&settings) ? "a profile of each process" :
						   NULL);
	recording_options_check(&settings, &command_line_tool);
	attach_options_check(&settings, &command_line_tool, argv[first]);
	recording_options_check_examined(&settings, &command_line_tool);
	output_options_check(&settings, &command_line_tool);
	idle_options_warn(&settings, &defaults);
	settings.command = argv + first;
	if (!*settings.command && !settings.pid && !settings.attach && !settings.detach)
		options_error(&command_line_tool, settings.finish ? "no recording given" :
							       "no program given");
	return &settings;
}
