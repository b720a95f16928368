/* settings.h -- The command line of memusagestat.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"
#include "memusagestat/drawing/drawing.h"

enum picture_kind { PICTURE_RUN, PICTURE_HISTOGRAM, PICTURE_FLAME, PICTURE_BANDS };

/* In the order of the words of --theme. */
enum theme_choice { THEME_CLASSIC, THEME_LIGHT, THEME_DARK, THEME_UNSAID };

/* In the order of the words of --runtime-frames. */
enum runtime_choice { RUNTIME_HIDE, RUNTIME_SHOW };

struct merged_file;

struct settings {
	const char *input;	/* "-": standard input */
	const char *old_input;	/* of --diff, which compares it with INPUT; NULL: not given */
	bool diff;
	bool merge;		/* all files are recordings, whose processes are shown as one */
	const char *const *file;	/* of --merge */
	unsigned files;
	unsigned readers;	/* files that it reads at a time; 0: as suits the machine */
	struct merged_file *merged;	/* what INPUT was made of; NULL: of itself */
	const char *output;	/* "-": standard output */
	const char *title;	/* NULL: none */
	bool by_time;		/* x is time, not the number of the event */
	bool with_total;	/* also the sum of heap and stack */
	const char *html;	/* file of the page, "-": standard output; NULL: a picture */
	unsigned pid;		/* of a recording, 0: the process that was started */
	int kind;		/* enum picture_kind */
	int flame;		/* the metric, in the order of the words of --flame */
	int theme;		/* enum theme_choice */
	enum drawing_format format;	/* by the name of the output */
	struct opt_list alloc_fn;	/* functions that allocate for their callers */
	bool no_names_cache;
	int runtime_frames;	/* enum runtime_choice, of --flame and --bands */
	unsigned width, height;	/* of the picture, in pixels */
	bool has_width, has_height;	/* the user gave them */
};

/* The option table, for tests. Its values go to one static struct settings. */
extern const struct opt_tool settings_tool;

/* settings_parse -- Returns the settings of this run; exits with status 2 if they make no sense.
 *
 * Not reentrant. Strings point into ARGV or live until the end.
 */
const struct settings *settings_parse(int argc, char **argv);
