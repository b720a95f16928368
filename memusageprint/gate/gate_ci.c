/* gate_ci.c -- Writes what a gate found for continuous integration.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/gate/gate_ci.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/xmalloc.h"
#include "formats/gate/gate_formats.h"

static bool is_in_github(void)
{
	const char *is_there = getenv("GITHUB_ACTIONS");

	return is_there && strcmp(is_there, "true") == 0;
}

/* The options were checked when they were parsed. */
static enum gate_format format_of(const char *text, const char **file)
{
	enum gate_format format = GATE_GITHUB;

	*file = NULL;
	gate_names_parse(text, &format, file);
	return format;
}

static bool wants_github(const struct settings *settings)
{
	const char *file;

	for (size_t i = 0; i < settings->gate.ci.count; i++) {
		if (format_of(settings->gate.ci.item[i], &file) == GATE_GITHUB)
			return true;
	}
	return is_in_github();
}

/* Returns the format that is to be written to the output; GITHUB, which is not: none. */
static enum gate_format find_output_format(const struct settings *settings)
{
	for (size_t i = 0; i < settings->gate.ci.count; i++) {
		const char *file;
		const enum gate_format f = format_of(settings->gate.ci.item[i], &file);

		if (!file && f != GATE_GITHUB)
			return f;
	}
	return GATE_GITHUB;
}

bool gate_ci_takes_output(const struct settings *settings)
{
	return find_output_format(settings) != GATE_GITHUB;
}

char *gate_ci_root(void)
{
	const char *root = getenv("GITHUB_WORKSPACE");
	char *here;

	if (!root || !*root)
		root = getenv("CI_PROJECT_DIR");
	if (root && *root)
		return xstrdup(root);
	here = getcwd(NULL, 0);
	return here ? here : xstrdup("");
}

void gate_ci_put(FILE *text, const struct gate *g, const struct settings *settings)
{
	const enum gate_format format = find_output_format(settings);

	if (format != GATE_GITHUB)
		gate_formats_find(format)(text, g);
	if (wants_github(settings))
		gate_write_github(format != GATE_GITHUB ? stderr : text, g);
}

static int write_file(enum gate_format format, const char *file, const struct gate *g)
{
	struct output out;

	if (output_open(&out, file, 0) < 0)
		return -1;
	gate_formats_find(format)(out.stream, g);
	return output_close(&out);
}

/* Other steps and other programs append to the same file. */
static int append_summary(const struct gate *g)
{
	const char *file = getenv("GITHUB_STEP_SUMMARY");
	FILE *out = file && *file ? fopen(file, "ae") : NULL;

	if (!file || !*file)
		return 0;
	if (out)
		gate_write_markdown(out, g);
	if (out && fclose(out) == 0)
		return 0;
	warn("cannot write %s: %m", file);
	return -1;
}

int gate_ci_write_files(const struct gate *g, const struct settings *settings)
{
	int result = 0;

	for (size_t i = 0; i < settings->gate.ci.count; i++) {
		const char *file;
		const enum gate_format format = format_of(settings->gate.ci.item[i], &file);

		if (file)
			result |= write_file(format, file, g);
	}
	if (wants_github(settings))
		result |= append_summary(g);
	return result;
}
