/* view.h -- The state of a live view: what is shown, and what keys change.
 *
 * Pure: keys come in, rows and requests come out; the terminal is in screen.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/live_wire.h"
#include "memusageprint/live/callers.h"
#include "memusageprint/live/curve.h"
#include "memusageprint/live/look.h"
#include "memusageprint/live/output.h"
#include "memusageprint/live/places.h"
#include "memusageprint/live/rows.h"

enum live_table { LIVE_PLACES, LIVE_CALLERS, LIVE_THREADS, LIVE_PROCESSES, LIVE_TABLES };

/* Keys that are no characters; others are those of ASCII. */
enum live_key {
	LIVE_KEY_NONE = 0, LIVE_KEY_INTERRUPT = 3, LIVE_KEY_ENTER = 10, LIVE_KEY_ESCAPE = 27,
	LIVE_KEY_DELETE = 127, LIVE_KEY_UP = 256, LIVE_KEY_DOWN, LIVE_KEY_LEFT, LIVE_KEY_RIGHT,
	LIVE_KEY_PAGE_UP, LIVE_KEY_PAGE_DOWN, LIVE_KEY_HOME, LIVE_KEY_END, LIVE_KEY_RESIZE,
	LIVE_KEY_CLOSED		/* the terminal is gone */
};

/* A request that a key makes to the program around the view. */
enum live_wish {
	LIVE_WISH_NONE, LIVE_WISH_QUIT, LIVE_WISH_INTERRUPT, LIVE_WISH_LOOK, LIVE_WISH_RECORD,
	LIVE_WISH_PROCESS,	/* show view->wanted_pid */
	LIVE_WISH_MARK		/* have a mark set, then view_set_mark() */
};

enum { LIVE_FILTER = 64, LIVE_MESSAGE = 160 };

struct view {
	struct places places;
	struct look now, before, mark;	/* zeroed: there is none */
	struct live_answer answer;	/* with the last look that succeeded */
	struct live_curve curve;
	enum live_status status;	/* of the last answer */
	char trouble[128];		/* why, if it failed */
	uint64_t rest_ns;		/* between two looks */
	bool is_paused;
	bool is_cut_off;		/* the copier is gone */

	enum live_table table;
	enum top_kind group;
	enum live_column column[LIVE_TABLES];
	bool is_reversed;
	char filter[LIVE_FILTER];
	bool is_typing;			/* the filter */
	bool has_help;
	bool has_mark;			/* else changes count from the first look */
	bool is_mark_older;		/* than the view: it has the places alone */
	bool wants_history, wants_mark;	/* of the next look */
	uint32_t wanted_pid;
	char message[LIVE_MESSAGE];	/* until the next key, or for MESSAGE_LOOKS */
	unsigned int message_looks;

	struct live_callers callers;	/* of LIVE_CALLERS */
	struct live_rows rows;		/* of the table */
	uint32_t selected, first;	/* rows */
	uint32_t visible;		/* rows that the screen had room for */

	struct live_output output;	/* of the program */
	bool has_output;		/* it is shown in place of the table */
	uint32_t output_below;		/* lines that are hidden below the screen */
};

/* view_init -- Begins with places, the largest first.
 *
 * group   how they are grouped.
 * filter  "": all are shown.
 */
void view_init(struct view *v, enum top_kind group, const char *filter);

/* view_take -- Takes the next look over and computes the rows.
 *
 * next  moved out of; zeroed afterwards.
 */
void view_take(struct view *v, struct look *next, const struct live_answer *answer);

/* view_set_mark -- Changes count from the last look on. */
void view_set_mark(struct view *v);

/* view_read_output -- Reads what the program has written; lines that are shown stay where they are,
 * unless they are the last. */
void view_read_output(struct view *v);

/* view_update_rows -- Computes the rows of the table again. */
void view_update_rows(struct view *v);

/* view_press -- Changes what is shown. Returns what else is to be done. */
enum live_wish view_press(struct view *v, int key);

/* view_parts -- Returns which parts of a copy are wanted; enum live_part. */
uint32_t view_parts(const struct view *v);

/* view_free -- Releases everything. */
void view_free(struct view *v);
