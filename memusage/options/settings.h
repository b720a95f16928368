/* settings.h -- The settings from the command line and the environment.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "memusage/options/accesses.h"
#include "memusage/options/dhat.h"
#include "memusage/options/gate.h"
#include "memusage/options/leaks.h"
#include "memusage/options/massif.h"
#include "memusage/options/sample.h"
#include "memusage/options/triggers.h"

/* In the order of the words of --children. */
enum children { CHILDREN_LINES, CHILDREN_SUMMARY, CHILDREN_NONE, CHILDREN_FILES, CHILDREN_MERGE };

/* In the order of the words of --own-malloc and --trace-children. */
enum own_malloc { OWN_IGNORE, OWN_PATCH };
enum trace_children { TRACE_YES, TRACE_NO, TRACE_UNSAID };

/* In the order of the words of --mode. */
enum run_mode { RUN_MODE_HEAP, RUN_MODE_COPY, RUN_MODE_AD_HOC };

/* In the order of the words of --client-requests. */
enum client_requests { REQUESTS_NO, REQUESTS_YES, REQUESTS_MASSIF, REQUESTS_RUNNING };

/* In the order of the words of --group and --runtime-frames. */
enum place_kind { GROUP_LINE, GROUP_FUNCTION, GROUP_FILE, GROUP_OBJECT };
enum runtime_choice { RUNTIME_HIDE, RUNTIME_SHOW, RUNTIME_UNSAID };

/* Strings point into argv or the environment; NULL means "not given". */
struct settings {
	const char *progname;	/* record only images with this name */
	const char *png;
	const char *data;
	const char *title;
	unsigned int x_size;	/* pixels; 0: memusagestat's default */
	unsigned int y_size;
	const char *output;	/* file of the report */
	const char *html;	/* file name pattern of the page */
	const char *serve;	/* address of memusageserve; "": the default one, NULL: none */
	struct {		/* as memusageserve takes them */
		const char *url;	/* NULL: push nothing */
		const char *interval, *headers, *authority;
		struct opt_list label;
	} push;
	const char *record;	/* file name pattern; "": the default one */
	bool durable;		/* keep the arena as a file next to it */
	int buffer;		/* records that the data file may lag behind */
	int color;		/* enum color_when */
	unsigned int width;	/* columns of reports of places; 0: the terminal's */
	int children;		/* enum children */
	int own_malloc;		/* enum own_malloc */
	struct opt_list alloc_symbol, free_symbol;
	int trace_children;	/* enum trace_children, not UNSAID */
	int client_requests;	/* enum client_requests */
	uint64_t log_limit;	/* maximum bytes of waiting events in each process */
	bool no_timer;
	bool mmap;
	bool time_based;
	bool total;
	bool quiet;
	bool verbose;
	bool finish;
	unsigned int pid;	/* of a process to control, 0: run a program */
	unsigned int attach;	/* a process to record that runs already, 0: run a program */
	unsigned int detach;	/* a process to take a left recorder away from, 0: none */
	uint64_t duration_ns;	/* how long to record it, 0: until it ends */
	unsigned int top;	/* places that --top shows, 0: not given */
	unsigned int places;	/* that the lists of the next options show, 0: not given */
	bool tree;
	bool leaks;
	bool fragmentation;
	bool holders;
	const char *growth;	/* moments; "": the default ones, NULL: not given */
	bool temporary;
	int group;		/* enum place_kind: what a place of these lists is */
	const char *grep;	/* only stacks with this text; NULL: all */
	int runtime_frames;	/* enum runtime_choice */
	bool live;		/* show a view of the program while it runs */
	bool once;		/* print the view of --pid=PID live once */
	bool debuginfod;
	bool no_names_cache;
	bool spacetime;
	int spacetime_form;	/* 0 text, 1 HTML */
	struct massif_settings massif;
	struct access_settings accesses;
	int mode;		/* enum run_mode */
	struct dhat_settings dhat;
	struct trigger_settings triggers;
	struct sample_settings sample;
	struct leak_settings leak_check;
	struct gate_settings gate;
	bool start_paused; /* record nothing until a client asks for it */
	char **command;		/* the program and its arguments, the files of --finish, or the
				 * command of --pid; none with --attach */
};

/* settings_append_place_options -- Appends the options that choose and name places to a list for
 * memusageprint. */
void settings_append_place_options(struct opt_list *list, const struct settings *settings);

/* settings_parse_places -- Parses a number of places for a list of them.
 *
 * Returns false if TEXT is none.
 */
bool settings_parse_places(const char *text, unsigned int *places);

/* settings_has_places -- Tells whether there is a report of places. */
bool settings_has_places(const struct settings *settings);

/* settings_has_text -- Tells whether there is one, or the run is judged. */
bool settings_has_text(const struct settings *settings);

/* settings_has_answer -- Tells whether that report comes first, in the place of the summary. */
bool settings_has_answer(const struct settings *settings);

/* settings_has_files -- Tells whether each process image gets a report in a file of its own. */
bool settings_has_files(const struct settings *settings);

/* settings_has_reports -- Tells whether memusageprint or memusagestat is to read a recording. */
bool settings_has_reports(const struct settings *settings);

/* settings_has_leak_check -- Tells whether the blocks of each process are checked at its end. */
bool settings_has_leak_check(const struct settings *settings);

/* settings_has_stacks -- Tells whether call stacks are to be recorded. */
bool settings_has_stacks(const struct settings *settings);

/* settings_has_timeline -- Tells whether to sample the memory that the kernel accounts for. Every
 * report needs it but the plain summary, which is glibc's. */
bool settings_has_timeline(const struct settings *settings);
