/* settings.h -- What the command line of memusageprint asks for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cli/layout.h"
#include "cli/options.h"
#include "formats/xtree.h"
#include "profile/budget/condition_list.h"
#include "profile/model/filter.h"
#include "profile/read/sites.h"

/* The report to print of each file. reports.c knows the kinds of file that each one suits. */
enum report {
	REPORT_DEFAULT,		/* depends on the kind of file */
	REPORT_TEXT,		/* of a recording: settings->text */
	REPORT_DHAT,		/* of a recording: as a profile of DHAT */
	REPORT_SPACETIME,	/* of a recording: settings->spacetime */
	REPORT_EXPORT		/* in the format settings->format */
};

/* Texts about a recording; bits, because one run may print several. */
enum text_report {
	TEXT_SUMMARY = 1, TEXT_TOP = 2, TEXT_TREE = 4, TEXT_LEAKS = 8, TEXT_TEMPORARY = 16,
	TEXT_PLOT = 32, TEXT_AD_HOC = 64, TEXT_MARKS = 128, TEXT_SPACETIME = 256,
	TEXT_PROCESSES = 512, TEXT_GROWTH = 1024, TEXT_LEAK_CHECK = 2048,
	TEXT_FRAGMENTATION = 4096, TEXT_HOLDERS = 8192
};

/* The forms of --spacetime, in the order of its words. */
enum spacetime_form { SPACETIME_TEXT, SPACETIME_HTML, SPACETIME_HP, SPACETIME_NONE };

/* The forms of --leak-check. */
enum leak_check_form { LEAK_CHECK_SUMMARY, LEAK_CHECK_FULL };

/* In the order of the words "yes|no". */
enum yes_no { YES, NO };

/* In the order of the words of --time-unit. The units after UNIT_MS are those of a recording that
 * counts no time; --time-unit accepts and ignores them. */
enum time_unit { UNIT_NS, UNIT_MS, UNIT_CPU, UNIT_BYTES, UNIT_BLOCKS, UNIT_INSTRUCTIONS };

/* In the order of the words of --runtime-frames. Without the option texts for people hide them, and
 * profiles in other tools' formats have them. */
enum runtime_choice { RUNTIME_HIDE, RUNTIME_SHOW, RUNTIME_UNSAID };

/* The moment of --tree; snapshots have numbers from 0 on. */
enum { TREE_AT_PEAK = -1, TREE_AT_END = -2, TREE_OF_TOTAL = -3 };

/* The conditions of --fail-if and --budget, by which the files are judged. */
struct gate_settings {
	struct condition_list conditions;	/* none: reports are printed */
	struct opt_list baseline;	/* recordings, of which each is a run */
	struct opt_list ci;		/* "FORMAT" or "FORMAT:FILE", of a format that exists */
	bool has_table;		/* print the figures of all runs first */
	bool is_quiet;		/* say nothing of those that hold */
	bool is_of_run;		/* memusage judges its run */
};

struct settings {
	char **typed;		/* the command line as typed, ended by NULL */
	char **files;		/* at least one; "-": standard input */
	int file_count;
	const char *output;	/* "-": standard output */
	enum report report;
	const char *format;	/* of REPORT_EXPORT; a name that export_format_find() knows */
	unsigned columns, rows;	/* of the graph */
	double threshold;	/* percent of the total from which a place is shown */
	unsigned text;		/* enum text_report */
	unsigned top;		/* places that --top and similar reports list */
	int tree;		/* a snapshot, or TREE_AT_PEAK and so on */
	const char *growth_from, *growth_to;	/* moments of --growth as typed; "": not given */
	unsigned pid;		/* process to report on, 0: the one that suits the report */
	unsigned started;	/* process that memusage started, 0: the first one recorded */
	unsigned depth;		/* frames shown of a stack */
	bool has_depth;		/* --depth was given */
	int spacetime;		/* enum spacetime_form */
	int spacetime_files;	/* enum spacetime_form: a file for every image; or NONE */
	struct opt_list alloc_fn, ignore_fn, fullpath_after;
	int below_main;		/* enum yes_no */
	int read_inlines;
	int demangle;
	int heap;
	int color;		/* enum color_when */
	unsigned width;		/* columns of reports of places; 0: the terminal's */
	struct opt_list root;	/* directories that modules may lie below */
	unsigned live_socket;	/* of a live view to the process that copies for it; 0: none */
	unsigned live_output;	/* ... file of what the program writes; 0: none */
	bool once;		/* print that view once */
	bool debuginfod;
	bool no_names_cache;
	bool names_ahead;	/* only look up names, for the cache */
	const char *massif_file;	/* pattern, one file per image; NULL: none */
	const char *massif_desc;
	int xtree;		/* enum xtree_kind: a report for every image */
	const char *xtree_file;	/* pattern of its name */
	int xtree_compress;	/* enum yes_no */
	const char *dhat_file;	/* pattern, as massif_file */
	bool dhat_summary;	/* print the totals of these files */
	int sort;		/* enum dhat_metric */
	bool invert;		/* trees of DHAT begin at the outermost callers */
	const char *grep;	/* report only stacks with this text; NULL: all */
	int group;		/* enum top_kind: what a place of a list is */
	int runtime_frames;	/* enum runtime_choice */
	bool diff;		/* compare the two files */
	bool merge;		/* report on all processes of all files as one */
	unsigned readers;	/* files that it reads at a time; 0: as suits the machine */
	struct gate_settings gate;
	int leak_check;		/* enum leak_check_form */
	bool leak_forks;	/* ... of forked processes, too */
	int leak_tree;		/* enum yes_no: loss records in a file for every image */
	const char *leak_tree_file;	/* pattern of its name */
	unsigned leak_kinds;	/* set of kinds whose loss records are shown */
	unsigned leak_errors;	/* ... that are errors */
	unsigned error_status;	/* of the program if there are any, 0: as without */
	int leak_resolution;	/* enum leak_resolution */
	bool lifetimes;		/* lists show how long blocks lived */
	int time_unit;		/* enum time_unit, of DHAT's profiles */
	unsigned callers;	/* frames of their stacks, with that of malloc; 0: all */
	bool massif_log;	/* Massif's lines of -v -v */
	bool massif_stats;	/* ... of --stats=yes */
	unsigned first_image;	/* of the files for every image */
	const char *code_root;	/* --code-below; NULL: not given */
	const char *build_id;	/* ... of the file, in hexadecimal */
	struct opt_list symbol_rules;	/* ... functions to find instead: "a" or "f", followed by
					 * the argument of --alloc- or --free-symbol */
};

/* settings_arguments -- Returns the command line as it would be for FILE alone, without --output.
 *
 * file  one of settings->files, the same pointer.
 * The arguments are as typed, joined by blanks; the caller frees the text.
 */
char *settings_arguments(const struct settings *settings, const char *file);

/* settings_layout -- Returns the width and the colours of a report for people. */
struct layout_style settings_layout(const struct settings *settings);

/* settings_filter -- Returns the options that choose the frames of stacks. */
struct filter_options settings_filter(const struct settings *settings);

/* settings_metric -- Returns the metric of settings->tree. */
enum metric_kind settings_metric(const struct settings *settings);
