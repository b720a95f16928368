/* report.h -- The report of memusage at the end of the program.
 *
 * It has the summary of the program, notes that its reader must know, and a line for each other
 * process. It is built in memory and written at once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#include "memusage/options/settings.h"
#include "profile/read/result.h"

enum {
	REPORT_LINES = 10,	/* most lines of other processes */
	ANSWER_LINES = 5	/* below an answer (--top ...), which has summed them up */
};

/* The relation of an image to the program that was started. */
enum report_role {
	REPORT_MAIN,	/* the last of its images that is known */
	REPORT_EARLIER, /* one that ended by exec */
	REPORT_OTHER,	/* another process */
	REPORT_FORKED,	/* likewise, with its parent's history */
	REPORT_RUNNING	/* another process that has not ended */
};

/* The line of another process. */
struct report_line {
	char *text; /* owned */
	int pid;
	enum report_role role;
	uint64_t peak;
	uint64_t bytes;
	uint64_t calls;
};

/* The verdict of memusageprint on the conditions of --fail-if. */
enum gate_outcome { GATE_NOT_JUDGED, GATE_HOLDS, GATE_BROKEN };

struct report {
	const struct settings *settings;
	int fd; /* its destination; -1: none */
	bool color;
	unsigned int columns; /* of the terminal that it goes to; 0: no limit */
	FILE *text; /* text that waits to be written */
	char *buffer;
	size_t length;
	struct result *main;	/* the program's last image, owned; NULL: none yet */
	int main_pid;
	struct report_line *line; /* of other processes, which follow the summary: the highest
				   * peak first */
	unsigned int line_count;
	unsigned int line_limit; /* ANSWER_LINES or REPORT_LINES */
	FILE *lines; /* lines about other things, which follow those */
	char *lines_buffer;
	size_t lines_length;
	struct report_line largest; /* the other process whose own peak is the highest; without
				     * text */
	struct report_line largest_earlier; /* likewise of programs before an exec; the text is its
					     * name */
	uint64_t more;		/* images beyond line_limit, and their sums */
	uint64_t more_earlier;	/* those of them that ended by exec */
	uint64_t more_bytes;
	uint64_t more_calls;
	uint64_t more_peak;
	uint64_t images;
	bool has_leak_errors;	/* memusageprint has said so */
	bool lacks_running; /* processes go on that no condition has judged */
	enum gate_outcome gate;	/* likewise */
	bool has_failed;	/* it cannot be written, and this was reported */
	unsigned int late_count; /* lines that were written since report_finish() */
	bool is_finished;	/* report_finish() was called: lines are written at once */
};

/* report_open -- Begins a report.
 *
 * fd     of standard error or the report's file; borrowed. -1: write nothing. With --quiet only
 *        notes on other files are written.
 * color  use colours.
 */
void report_open(struct report *r, const struct settings *settings, int fd, bool color);

/* report_add -- Adds an image to the report.
 *
 * pid     in the collector's namespace.
 * result  from malloc(); becomes the report's.
 * A result with REPORT_MAIN replaces an earlier one, which becomes a line.
 */
void report_add(struct report *r, enum report_role role, int pid, struct result *result);

/* report_demote_main -- Makes a line of the main image: the program continues with another one. */
void report_demote_main(struct report *r);

/* report_note -- Adds a line that begins with "memusage: ", behind the summary.
 *
 * Control characters of names are escaped.
 */
void report_note(struct report *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* report_line -- Adds such a line behind those of other processes; none with --quiet. */
void report_line(struct report *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* report_finish -- Writes the summary, its notes and the lines; later additions are written at
 * once. After a report of places, a line with the figures of the process is the summary.
 *
 * why    text for a report without a recording.
 * usage  of the program, NULL if unknown.
 */
void report_finish(struct report *r, const char *why, const struct rusage *usage);

/* report_close -- Writes the rest on processes that outlived the program, and releases
 * everything. */
void report_close(struct report *r);
