/* settings.c -- What the command line of memusageprint asks for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/xmalloc.h"

static bool is_input_file(const struct settings *settings, const char *argument)
{
	for (int i = 0; i < settings->file_count; i++) {
		if (settings->files[i] == argument)
			return true;
	}
	return false;
}

/* True if this argument contains the value of --output: -o FILE, -oFILE, --output=FILE. */
static bool contains_output(const struct settings *settings, const char *argument)
{
	const char *output = settings->output;

	return output >= argument && output <= argument + strlen(argument);
}

char *settings_arguments(const struct settings *settings, const char *file)
{
	char *text = xstrdup("");

	for (char **argument = settings->typed + 1; *argument; argument++) {
		char *longer;

		if ((*argument != file && is_input_file(settings, *argument)) ||
		    contains_output(settings, *argument) ||
		    argument[1] == settings->output || strcmp(*argument, "--") == 0)
			continue;
		longer = xasprintf("%s%s%s", text, *text ? " " : "", *argument);
		free(text);
		text = longer;
	}
	return text;
}

struct layout_style settings_layout(const struct settings *settings)
{
	const bool is_stdout = strcmp(settings->output, "-") == 0;

	return layout_style_for(is_stdout ? STDOUT_FILENO : -1, settings->width,
				(enum color_when)settings->color);
}

enum metric_kind settings_metric(const struct settings *settings)
{
	switch (settings->tree) {
	case TREE_AT_PEAK:
		return METRIC_PEAK;
	case TREE_AT_END:
		return METRIC_LIVE;
	case TREE_OF_TOTAL:
		return METRIC_TOTAL;
	default:
		return METRIC_SNAPSHOT;
	}
}

struct filter_options settings_filter(const struct settings *settings)
{
	return (struct filter_options){
		.alloc_fn = settings->alloc_fn.item,
		.alloc_fns = settings->alloc_fn.count,
		.ignore_fn = settings->ignore_fn.item,
		.ignore_fns = settings->ignore_fn.count,
		.show_below_main = settings->below_main == YES,
	};
}
