/* main.c -- memusagestat: draws the memory use of a run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/version.h"
#include "memusagestat/bands_picture.h"
#include "memusagestat/classic_picture.h"
#include "memusagestat/data_input.h"
#include "memusagestat/drawing/png.h"
#include "memusagestat/html.h"
#include "memusagestat/labels.h"
#include "memusagestat/settings.h"
#include "memusagestat/themed_picture.h"

static int write_classic_picture(struct output *out, gdImagePtr image, const struct data_input *in,
				 const char *title)
{
	char heap[LABEL_LENGTH], stack[LABEL_LENGTH], events[LABEL_LENGTH];
	const struct png_note notes[] = {
		{ "Title", title },
		{ "Software", "memusagestat (memusage) " MEMUSAGE_VERSION },
		{ "Command", in->command },
		{ "Heap peak", heap },
		{ "Stack peak", stack },
		{ "Calls", events },
	};

	snprintf(heap, sizeof(heap), "%llu", (unsigned long long)in->heap_peak);
	snprintf(stack, sizeof(stack), "%llu", (unsigned long long)in->stack_peak);
	snprintf(events, sizeof(events), "%llu", (unsigned long long)in->events);
	png_write(out, image, notes, sizeof(notes) / sizeof(*notes));
	return output_close(out);
}

static void check_output_name(const struct data_input *in, const char *name)
{
	if (data_input_is_file(in, name))
		die("%s is the input: give another name for the picture", name);
	if (strcmp(name, "-") == 0 && isatty(STDOUT_FILENO))
		die("the picture would go to the terminal: give a name for it");
}

/* The output is opened when the picture is ready, so that a bad input destroys no older picture. */
static int draw_classic_picture(const struct settings *settings)
{
	struct data_input in;
	struct output out;
	gdImagePtr image;
	int result;

	data_input_open(&in, settings->input);
	check_output_name(&in, settings->output);
	image = classic_picture_draw(&in, settings);
	result = output_open(&out, settings->output,
			     in.command && *in.command ? 0 : OUTPUT_PUBLIC);
	if (result == 0)
		result = write_classic_picture(&out, image, &in, settings->title);
	gdImageDestroy(image);
	data_input_close(&in);
	return result < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const struct settings *settings;

	message_init("memusagestat", EXIT_FAILURE);
	/* A limit on the size of files must be an error of write(), which is reported. */
	signal(SIGXFSZ, SIG_IGN);
	settings = settings_parse(argc, argv);
	if (settings->html)
		return html_run(settings) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	if (settings->kind == PICTURE_BANDS)
		return bands_picture_run(settings) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	if (themed_picture_is_wanted(settings))
		return themed_picture_run(settings) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	return draw_classic_picture(settings);
}
