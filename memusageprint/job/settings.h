/* settings.h -- the command line of memusageprint.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_JOB_SETTINGS_H
#define MEMUSAGEPRINT_JOB_SETTINGS_H

#include "cli/options.h"
#include "formats/xtree.h"
#include "profile/read/sites.h"

/* What is to be printed of each file. reports.c says of which kinds of files. */
enum report {
	REPORT_DEFAULT,		/* what suits the kind */
	REPORT_TEXT,		/* of a recording: settings->text */
	REPORT_DHAT,		/* of a recording: as a profile of DHAT */
	REPORT_SPACETIME,	/* of a recording: settings->spacetime */
	REPORT_TO_MASSIF,	/* this and those behind it are conversions */
	REPORT_TO_FOLDED,
	REPORT_TO_CALLGRIND,
	REPORT_TO_JSON,
	REPORT_TO_PPROF,
	REPORT_TO_DHAT,
	REPORTS
};

/* Texts about a recording; bits, because one run may print several. */
enum text_report {
	TEXT_SUMMARY = 1, TEXT_TOP = 2, TEXT_TREE = 4, TEXT_LEAKS = 8, TEXT_TEMPORARY = 16,
	TEXT_PLOT = 32, TEXT_AD_HOC = 64, TEXT_MARKS = 128, TEXT_SPACETIME = 256
};

/* What --spacetime prints, in the order of its words. */
enum spacetime_form { SPACETIME_TEXT, SPACETIME_HTML, SPACETIME_HP, SPACETIME_NONE };

/* In the order of the words "yes|no". */
enum yes_no { YES, NO, UNSAID };

/* In the order of the words of --time-unit; those behind UNIT_MS only a recording can ask for. */
enum time_unit { UNIT_NS, UNIT_MS, UNIT_CPU, UNIT_BYTES, UNIT_BLOCKS, UNIT_INSTRUCTIONS };

/* Of which moment --tree is; snapshots have numbers from 0 on. */
enum { TREE_AT_PEAK = -1, TREE_AT_END = -2, TREE_OF_TOTAL = -3 };

struct settings {
	char **files;		/* at least one; "-": standard input */
	int file_count;
	const char *output;	/* "-": standard output */
	enum report report;
	unsigned columns, rows;	/* of the graph */
	double threshold;	/* percent of the total from which a place is shown */
	unsigned text;		/* enum text_report */
	unsigned top;		/* places that --top and its like show */
	int tree;		/* a snapshot, or TREE_AT_PEAK and so on */
	unsigned pid;		/* whose image, 0: that of the started program */
	unsigned depth;		/* frames shown of a stack */
	bool has_depth;		/* it was said */
	int spacetime;		/* enum spacetime_form */
	int spacetime_files;	/* enum spacetime_form: files of every image; or NONE */
	struct opt_list alloc_fn, ignore_fn, fullpath_after;
	int below_main;		/* enum yes_no */
	int read_inlines;
	int demangle;
	int heap;
	int color;		/* enum color_when, of --plot */
	struct opt_list root;	/* directories that modules may lie below */
	bool debuginfod;
	const char *massif_file;	/* pattern, one file per image; NULL: not asked for */
	const char *massif_desc;
	int xtree;		/* enum xtree_kind: a report for every image */
	const char *xtree_file;	/* pattern of its name */
	int xtree_compress;	/* enum yes_no */
	const char *dhat_file;	/* likewise */
	bool dhat_summary;	/* say what is in these files */
	int sort;		/* enum dhat_metric */
	bool invert;		/* trees of DHAT begin at the outermost callers */
	const char *grep;	/* trees and lists have only stacks with this text; NULL: all */
	int group;		/* enum top_kind: what a place of a list is */
	bool lifetimes;		/* lists say how long blocks lived */
	int time_unit;		/* enum time_unit, of DHAT's profiles */
	unsigned callers;	/* frames of their stacks, that of malloc being one; 0: all */
	bool massif_journal;	/* Massif's lines of -v -v */
	bool massif_stats;	/* ... of --stats=yes */
	unsigned first_image;	/* of those files */
	const char *code_root;	/* --code-below; NULL: not asked for */
	const char *build_id;	/* ... of the file, in hexadecimal */
	struct opt_list symbol_rules;	/* ... write where these functions are instead; "a" or "f",
					 * then the argument of --alloc- or --free-symbol */
};

/* settings_tool -- the table behind the command line, for tests. */
const struct opt_tool *settings_tool(void);

/* settings_parse -- the settings of this run; exits with status 2 when they make no sense.
 *
 * Not reentrant. Strings point into ARGV.
 */
const struct settings *settings_parse(int argc, char **argv);

/* settings_arguments -- the command line as it would be for FILE alone, without --output.
 *
 * file  one of settings->files, the same pointer.
 * Returns the arguments as typed, joined by blanks; to be freed.
 */
char *settings_arguments(const struct settings *settings, const char *file);

/* settings_metric -- what settings->tree is about. */
enum metric_kind settings_metric(const struct settings *settings);

/* settings_report_option -- how a report is asked for: "--to=json"; NULL for the default. */
const char *settings_report_option(enum report report);

#endif
