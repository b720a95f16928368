/* bands_picture.c -- memusagestat --bands: draws a recording or a massif.out by place.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/bands_picture.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "formats/bands.h"
#include "memusagestat/bandgraph.h"
#include "memusagestat/drawing/drawing.h"
#include "memusagestat/input_file.h"
#include "memusagestat/recorded_process.h"

/* Places with a smaller share of the whole are drawn together, as "OTHER". */
#define LEAST_PERCENT 0.5

static int write_bands_picture(const struct settings *s, const struct bands *b, const char *command)
{
	const char *title = s->title ? s->title : command;
	const struct png_note notes[] = {
		{ "Title", title },
		{ "Software", "memusagestat (memusage) " MEMUSAGE_VERSION },
		{ "Command", command },
	};
	const struct theme *theme = theme_find(s->theme == THEME_DARK ? "dark" : "light");
	struct drawing d;
	struct output out;
	int result;

	drawing_init(&d, s->width, s->height, theme->background);
	bandgraph_draw(&d, b, theme, title);
	result = output_open(&out, s->output, 0);
	if (result == 0) {
		drawing_write(&d, &out, s->format, notes, sizeof(notes) / sizeof(*notes));
		result = output_close(&out);
	}
	drawing_fini(&d);
	return result;
}

static int draw_recording_bands(const struct settings *s, struct input_file *source)
{
	struct recorded_process *r = xmalloc(sizeof(*r));
	struct bands b;
	struct mu_error err;
	int result;

	recorded_process_open(r, source->path, s);
	source->is_cut = r->segment.missing > 0;
	if (s->runtime_frames == RUNTIME_HIDE)
		recorded_process_hide_runtime(r, s);
	if (bands_of_image(&b, r->export.filter, &r->image, &r->segment.head.config, LEAST_PERCENT,
			   &err) < 0)
		die("%s: %s", s->input, err.text);
	result = write_bands_picture(s, &b, r->command);
	bands_free(&b);
	recorded_process_close(r);
	free(r);
	return result;
}

static int draw_massif_bands(const struct settings *s, struct input_file *source)
{
	struct massif_file m;
	struct bands b;
	struct mu_error err;
	int result;

	input_file_read_massif(source, &m);
	if (bands_of_massif(&b, &m, s->runtime_frames == RUNTIME_HIDE, LEAST_PERCENT, &err) < 0)
		die("%s: %s", source->name, err.text);
	result = write_bands_picture(s, &b, m.cmd);
	bands_free(&b);
	massif_free(&m);
	return result;
}

static int draw_input_bands(const struct settings *s, struct input_file *source)
{
	switch (input_file_kind(source)) {
	case INPUT_RECORDING:
		return draw_recording_bands(s, source);
	case INPUT_MASSIF:
		return draw_massif_bands(s, source);
	default:
		die("%s: --bands needs a recording or a massif.out", source->name);
	}
}

int bands_picture_run(const struct settings *s)
{
	struct input_file source;
	int result;

	input_file_open(&source, s->input);
	input_file_check_output(source.fd, s->output, "picture");
	result = draw_input_bands(s, &source);
	input_file_close(&source);
	return source.is_cut ? -1 : result;
}
