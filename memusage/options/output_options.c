/* output_options.c -- Check the options of pictures and recordings before the run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/output_options.h"

#include <string.h>

#include "cli/picture_format.h"
#include "cli/picture_size.h"

/* Outputs that are only in memusage's own memory would be lost. */
static void check_durable(const struct settings *s, const struct opt_tool *tool)
{
	if (!s->durable)
		return;
	if (s->finish)
		options_error(tool, "--durable starts a program: --finish ends such a "
			      "run");
	if (!s->record)
		options_error(tool, "--durable needs --record=FILE: it keeps FILE.arena "
			      "beside it");
	if (s->png && !s->data)
		options_error(tool, "--durable: --png=%s needs --data=FILE: what the "
			      "picture is drawn from has to be in a file, too", s->png);
}

/* Reports the error of memusagestat before the run. */
static void check_size(const struct settings *s, const struct opt_tool *tool)
{
	const unsigned int width = s->x_size ? s->x_size : PICTURE_WIDTH;
	const unsigned int height = s->y_size ? s->y_size : PICTURE_HEIGHT;

	if (s->png && (uint64_t)width * height > PICTURE_PIXELS_MAX)
		options_error(tool, PICTURE_TOO_BIG, width, height, PICTURE_PIXELS_MAX);
}

/* Reports a name that would become NAME.jpg.png. */
static void check_picture_format(const struct settings *s, const struct opt_tool *tool)
{
	const char *ending = s->png ? strrchr(s->png, '.') : NULL;
	const char *foreign = s->png ? picture_format_foreign(s->png) : NULL;

	if (foreign)
		options_error(tool, "--png=%s: pictures are PNG (.png), not %s",
			      s->png, foreign);
	if (ending && (strcmp(ending, ".svg") == 0 || strcmp(ending, ".ps") == 0 ||
		       strcmp(ending, ".eps") == 0))
		options_error(tool,
			      "--png=%s: pictures of the run are PNG (.png); for %s keep the data "
			      "(--data=FILE) and run 'memusagestat FILE %s'",
			      s->png, ending, s->png);
}

/* A merge has places. Files of other tools are of one process. */
static void check_merge(const struct settings *s, const struct opt_tool *tool)
{
	if (s->children != CHILDREN_MERGE)
		return;
	if (settings_has_files(s) || s->data || s->png)
		options_error(tool, "--children=merge makes reports of places, and no "
			      "file for other tools: keep all by --record=FILE, and convert it by "
			      "memusageprint --merge --to=FORMAT");
	if (s->live || s->fragmentation || s->holders || leaks_wanted(&s->leak_check))
		options_error(tool, "--children=merge suits --top, --tree, --leaks, "
			      "--temporary, --growth and --html");
}

void output_options_check(const struct settings *settings, const struct opt_tool *tool)
{
	check_merge(settings, tool);
	check_durable(settings, tool);
	check_size(settings, tool);
	check_picture_format(settings, tool);
}
