/* main.c -- memusageprint: prints a profile as text, or converts it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/message.h"
#include "cli/output.h"
#include "memusageprint/command_line.h"
#include "memusageprint/diff/diff_report.h"
#include "memusageprint/export/export_formats.h"
#include "memusageprint/gate/gate_run.h"
#include "memusageprint/job/input.h"
#include "memusageprint/live/live.h"
#include "memusageprint/merged_report.h"
#include "memusageprint/module_code.h"
#include "memusageprint/names_ahead.h"
#include "memusageprint/reports.h"
#include "memusageprint/text/leak_text.h"
#include "profile/base/limits.h"

/* Dies if the output is an input: opening the output would empty it. */
static void check_output_file(const struct settings *settings)
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

static int print_one_file(const struct settings *settings, const char *file, struct output *out)
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

/* Prints what is one report of all files. */
static int print_once(const struct settings *settings,
		      int (*print)(const struct settings *, struct output *))
{
	struct output out = { 0 };
	int status = EXIT_SUCCESS;

	check_output_file(settings);
	if (print(settings, &out) < 0)
		status = EXIT_FAILURE;
	return output_close(&out) < 0 ? EXIT_FAILURE : status;
}

static int judge_files(const struct settings *settings)
{
	check_output_file(settings);
	return gate_run(settings);
}

static int print_all_files(const struct settings *settings)
{
	struct output out = { 0 };
	int status = EXIT_SUCCESS;

	check_output_file(settings);
	for (int i = 0; i < settings->file_count && !output_failed(&out); i++) {
		if (print_one_file(settings, settings->files[i], &out) < 0)
			status = EXIT_FAILURE;
	}
	if (settings->report == REPORT_EXPORT && out.stream)
		export_formats_end(out.stream, settings);
	if (output_close(&out) < 0 || status != EXIT_SUCCESS)
		return EXIT_FAILURE;
	return settings->error_status && leak_text_errors() > 0 ? (int)settings->error_status :
								  EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	message_init("memusageprint", EXIT_FAILURE);
	limits_raise_stack();
	/* At the limit of file size write() fails then, and output_close() reports it. */
	signal(SIGXFSZ, SIG_IGN);
	const struct settings *settings = command_line_parse(argc, argv);
	if (settings->names_ahead)
		return names_ahead_look_up(settings);
	if (settings->live_socket)
		return live_run(settings);
	if (settings->code_root)
		return module_code_write(settings);
	if (settings->gate.conditions.count > 0 || settings->gate.has_table)
		return judge_files(settings);
	if (settings->diff)
		return print_once(settings, diff_report_print);
	return settings->merge ? print_once(settings, merged_report_print) :
				 print_all_files(settings);
}
