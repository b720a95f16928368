/* idle_options.c -- Options that change nothing on a command line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/idle_options.h"

#include <string.h>

#include "cli/message.h"

/* Only the first option of a picture is named: all have the same cause. */
static void warn_without_picture(const struct settings *s)
{
	const char *option = s->time_based ? "-t (--time-based)"
			     : s->total	   ? "-T (--total)"
			     : s->title	   ? "--title"
			     : s->x_size   ? "-x (--x-size)"
			     : s->y_size   ? "-y (--y-size)"
					   : NULL;

	if (option && !s->png)
		warn("%s changes only the picture, and none is drawn: add --png=FILE", option);
}

static void warn_without_data(const struct settings *s, const struct settings *defaults)
{
	const char *option = s->buffer == defaults->buffer ? NULL
			     : s->buffer == 1		   ? "-u (--unbuffered)"
							   : "-b (--buffer)";

	if (option && !s->data)
		warn("%s changes only when the data file is written, and there is none: add "
		     "--data=FILE", option);
	if (s->log_limit != defaults->log_limit && !s->data && !s->png)
		warn("--log-limit is about changes that wait to be written, and none are: add "
		     "--data=FILE or --png=FILE");
}

static void warn_without_places(const struct settings *s, const struct settings *defaults)
{
	const char *option = s->group != defaults->group ? "--group" : s->grep ? "--grep" : NULL;

	if (option && !settings_has_places(s))
		warn("%s changes only lists of places, and none is asked for: add --top or --leaks",
		     option);
}

void idle_options_warn(const struct settings *s, const struct settings *defaults)
{
	warn_without_picture(s);
	warn_without_data(s, defaults);
	warn_without_places(s, defaults);
	if (s->spacetime_form != defaults->spacetime_form && !s->spacetime)
		warn("--format changes only the report of --spacetime: add it");
	if (strcmp(s->triggers.file, defaults->triggers.file) != 0 &&
	    !triggers_wanted(&s->triggers))
		warn("--snapshot-file names automatic snapshots, and none is asked for: add "
		     "--snapshot-when=CONDITION or --snapshot-signal=SIGNAL");
	if (s->debuginfod && !settings_has_reports(s))
		warn("--debuginfod is for reports with the names of functions, and none is asked "
		     "for: add --top or --html=FILE");
}
