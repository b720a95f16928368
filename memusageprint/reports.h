/* reports.h -- which report is made of which kind of file, and by whom.
 *
 * A new report is a function of the type below, a row in the table of reports.c, and an option
 * in settings.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_REPORTS_H
#define MEMUSAGEPRINT_REPORTS_H

#include "cli/output.h"
#include "memusageprint/job/input.h"
#include "memusageprint/job/settings.h"

/* What a report is made of. */
struct report_job {
	struct input *in;	/* open; nothing has been read */
	const char *file;	/* its name as an operand of the command line */
	const struct settings *settings;
	struct output *output;	/* use report_begin() */
};

/* Print one report of one file. Returns 0, or -1 after a warning; what could be made of a
 * damaged file has been printed then. */
typedef int (*report_fn)(const struct report_job *job);

/* report_begin -- where the report goes. To be called when the input has turned out to be good,
 * because the first call of a run empties the output file.
 *
 * Returns a stream that the caller neither closes nor checks. Does not return when the output
 * cannot be opened.
 */
FILE *report_begin(const struct report_job *job);

/* reports_print -- print what the settings ask for, by the function in charge.
 *
 * Returns 0, or -1 after a warning.
 */
int reports_print(const struct report_job *job);

#endif
