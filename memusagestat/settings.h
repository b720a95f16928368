/* settings.h -- the command line of memusagestat.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_SETTINGS_H
#define MEMUSAGESTAT_SETTINGS_H

#include <stdbool.h>

#include "cli/options.h"

struct settings {
	const char *input;	/* "-": standard input */
	const char *output;	/* "-": standard output */
	const char *title;	/* NULL: none */
	bool by_time;		/* x is time, not the number of the event */
	bool with_total;	/* also the sum of heap and stack */
	const char *html;	/* the page's file, "-": standard output; NULL: a picture */
	unsigned pid;		/* of a recording, 0: the process that was started */
	unsigned width, height;	/* of the picture, in pixels */
};

/* settings_tool -- the table behind the command line, for tests. */
const struct opt_tool *settings_tool(void);

/* settings_parse -- the settings of this run; exits with status 2 when they make no sense.
 *
 * Not reentrant. Strings point into ARGV or live until the end.
 */
const struct settings *settings_parse(int argc, char **argv);

#endif
