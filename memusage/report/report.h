/* report.h -- what memusage says when the program has ended.
 *
 * The summary of the program, notes on what must be known about it, and a line for each other
 * process. It is put together in memory and leaves in one write.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_REPORT_H
#define MEMUSAGE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#include "memusage/options/settings.h"
#include "profile/read/result.h"

enum { REPORT_LINES = 10 };

/* What an image is to the program that was started. */
enum report_role {
	REPORT_MAIN,	/* its last image, as far as is known */
	REPORT_EARLIER,	/* one that ended by exec */
	REPORT_OTHER,	/* another process */
	REPORT_FORKED,	/* likewise, with its parent's history */
	REPORT_RUNNING	/* another process that has not ended */
};

struct report {
	const struct settings *settings;
	int fd;			/* where it goes; -1: nowhere */
	bool color;
	FILE *text;		/* what is waiting to be written */
	char *buffer;
	size_t length;
	struct result *main;	/* the program's last image, owned; NULL: none yet */
	int main_pid;
	FILE *lines;		/* lines of other processes, printed behind the summary */
	char *lines_buffer;
	size_t lines_length;
	unsigned int line_count;
	uint64_t more;		/* processes beyond REPORT_LINES, and their sums */
	uint64_t more_bytes;
	uint64_t more_calls;
	uint64_t more_peak;
	uint64_t images;
	bool has_failed;	/* it cannot be written: that was said, if it could be */
	bool is_finished;	/* report_finish() was called: lines are written at once */
};

/* report_open -- begin.
 *
 * fd     of standard error or the report's file; borrowed. -1: write nothing. With --quiet only
 *        notes on other files are written.
 * color  whether to use colours there.
 */
void report_open(struct report *r, const struct settings *settings, int fd, bool color);

/* report_add -- take an image into the report.
 *
 * pid     in the collector's namespace.
 * result  from malloc(); becomes the report's.
 * With REPORT_MAIN it replaces an earlier image, which becomes a line.
 */
void report_add(struct report *r, enum report_role role, int pid, struct result *result);

/* report_demote_main -- the program went on with another image: the last one gets a line. */
void report_demote_main(struct report *r);

/* report_note -- add a line that begins with "memusage: ", behind the summary.
 *
 * Control characters of names in it are shown as escapes.
 */
void report_note(struct report *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* report_line -- the same in the place where other processes have their lines; nothing when
 * quiet. */
void report_line(struct report *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* report_finish -- print the summary, its notes and the lines.
 *
 * What is added later follows line by line.
 * why     what to say when nothing was recorded.
 * usage   of the program, NULL if not known.
 */
void report_finish(struct report *r, const char *why, const struct rusage *usage);

/* report_close -- what is left to say of processes that lived longer than the program. */
void report_close(struct report *r);

/* report_flush -- write what is waiting.
 *
 * The first time that its file does not take it a warning says so, and no more is written.
 */
void report_flush(struct report *r);

#endif
