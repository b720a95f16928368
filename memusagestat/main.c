/* main.c -- memusagestat: draws the memory use of a run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "memusagestat/bands_picture.h"
#include "memusagestat/classic_picture.h"
#include "memusagestat/data_input.h"
#include "memusagestat/diff_picture.h"
#include "memusagestat/drawing/png.h"
#include "memusagestat/html.h"
#include "memusagestat/input_file.h"
#include "memusagestat/labels.h"
#include "memusagestat/merged_file.h"
#include "memusagestat/settings.h"
#include "memusagestat/themed_picture.h"
#include "profile/base/limits.h"

static int write_classic_picture(struct output *out, gdImagePtr image, const struct dat_info *info,
				 const char *title)
{
	char heap[LABEL_LENGTH], stack[LABEL_LENGTH], events[LABEL_LENGTH];
	const struct png_note notes[] = {
		{ "Title", title },
		{ "Software", "memusagestat (memusage) " MEMUSAGE_VERSION },
		{ "Heap peak", heap },
		{ "Stack peak", stack },
		{ "Calls", events },
	};

	snprintf(heap, sizeof(heap), "%llu", (unsigned long long)info->heap_peak);
	snprintf(stack, sizeof(stack), "%llu", (unsigned long long)info->stack_peak);
	snprintf(events, sizeof(events), "%llu", (unsigned long long)info->records);
	png_write(out, image, notes, sizeof(notes) / sizeof(*notes));
	return output_close(out);
}

/* The output is opened when the picture is ready, so that a bad input destroys no older picture. */
static int draw_classic_picture(const struct settings *settings)
{
	struct data_input in;
	struct output out;
	gdImagePtr image;
	int result;

	data_input_open(&in, settings->input);
	input_file_check_output(in.fd, settings->output, "picture");
	image = classic_picture_draw(&in, settings);
	result = output_open(&out, settings->output, OUTPUT_PUBLIC);
	if (result == 0)
		result = write_classic_picture(&out, image, &in.dat.info, settings->title);
	gdImageDestroy(image);
	data_input_close(&in);
	return result;
}

static int write_output(const struct settings *settings)
{
	if (settings->html)
		return html_run(settings);
	if (settings->diff)
		return diff_picture_run(settings);
	if (settings->kind == PICTURE_BANDS)
		return bands_picture_run(settings);
	if (themed_picture_is_wanted(settings))
		return themed_picture_run(settings);
	return draw_classic_picture(settings);
}

/* The merge is a recording of one process, so that everything works on it. */
static int write_merged_output(const struct settings *settings)
{
	struct settings s = *settings;
	struct merged_file *m = xmalloc(sizeof(*m));
	int result;

	merged_file_open(m, settings);
	s.input = m->path;
	s.merged = m;
	result = write_output(&s);
	if (result == 0)
		result = m->result;
	merged_file_close(m);
	free(m);
	return result;
}

int main(int argc, char **argv)
{
	const struct settings *settings;
	int result;

	message_init("memusagestat", EXIT_FAILURE);
	limits_raise_stack();
	/* A limit on the size of files must be an error of write(), which is reported. */
	signal(SIGXFSZ, SIG_IGN);
	settings = settings_parse(argc, argv);
	result = settings->merge ? write_merged_output(settings) : write_output(settings);
	return result < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
