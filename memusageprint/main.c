/* main.c -- memusageprint: print a profile as text, or convert it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/message.h"
#include "cli/output.h"
#include "memusageprint/module_code.h"
#include "memusageprint/job/input.h"
#include "memusageprint/reports.h"
#include "memusageprint/job/settings.h"

/* Opening the output empties it. */
static void check_output(const struct settings *settings)
{
	struct stat out, in;

	if (strcmp(settings->output, "-") == 0 || stat(settings->output, &out) < 0 ||
	    !S_ISREG(out.st_mode))
		return;
	for (int i = 0; i < settings->file_count; i++) {
		if (stat(settings->files[i], &in) == 0 && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			die("%s is an input: give another name for the output", settings->output);
	}
}

static int print_file(const struct settings *settings, const char *file, struct output *out)
{
	struct input in;
	struct report_job job = { .in = &in, .file = file, .settings = settings, .output = out };
	int result;

	if (input_open(&in, file) < 0)
		return -1;
	result = reports_print(&job);
	input_close(&in);
	return result;
}

static int run(const struct settings *settings)
{
	struct output out = { 0 };
	int status = EXIT_SUCCESS;

	check_output(settings);
	for (int i = 0; i < settings->file_count && !output_failed(&out); i++) {
		if (print_file(settings, settings->files[i], &out) < 0)
			status = EXIT_FAILURE;
	}
	return output_close(&out) < 0 ? EXIT_FAILURE : status;
}

int main(int argc, char **argv)
{
	message_init("memusageprint", EXIT_FAILURE);
	/* A limit of the size of files is an error of write() to be reported. */
	signal(SIGXFSZ, SIG_IGN);
	const struct settings *settings = settings_parse(argc, argv);
	return settings->code_root ? code_write(settings) : run(settings);
}
