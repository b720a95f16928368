/* html.c -- Writes the report as one HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/html.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "formats/page/page_foreign.h"
#include "memusagestat/data_input.h"
#include "memusagestat/diff_page.h"
#include "memusagestat/input_file.h"
#include "memusagestat/merged_file.h"
#include "memusagestat/recording_page.h"

enum { BATCH = 8192 };

static void check_page_is_built(void)
{
	if (!page_is_built())
		die("this memusagestat was built without the HTML page: node and npm were "
		    "missing, or the npm registry could not be reached (make HTML=yes says "
		    "which)");
}

/* ---- pages --------------------------------------------------------------------------------- */

/* Commands and paths of the program may be private: the page is for its owner only. */
static int write_html_page(const char *file, const char *html, const char *kind,
			   const void *data,
			   void (*fill)(struct page_json *, const void *,
					const struct page_budget *))
{
	const struct page page = {
		.fill = fill, .data = data, .kind = kind, .version = MEMUSAGE_VERSION,
		.file = file,
	};
	struct output out;
	struct mu_error err;

	if (output_open(&out, html, 0) < 0)
		return -1;
	if (page_write(out.stream, &page, &err) < 0)
		die("%s: %s", html, err.text);
	return output_close(&out);
}

static int write_recording_page(struct input_file *s, const struct settings *settings)
{
	struct recording_page *what = recording_page_open(s->path, settings);
	int result = write_html_page(s->name, settings->html, "recording", what,
				     recording_page_fill);

	s->is_cut = recording_page_is_cut(what);
	recording_page_free(what);
	return result;
}

static int write_massif_page(struct input_file *s, const struct settings *settings)
{
	struct massif_file m;
	struct page_massif what;
	struct mu_error err;
	int result;

	input_file_read_massif(s, &m);
	if (page_massif_init(&what, &m, false, &err) < 0)
		die("%s: %s", s->name, err.text);
	result = write_html_page(s->name, settings->html, "massif", &what, page_massif_fill);
	page_massif_free(&what);
	massif_free(&m);
	return result;
}

static int write_dhat_page(const struct input_file *s, const struct settings *settings)
{
	struct dhat d;
	struct page_dhat what;
	struct mu_error err;
	int result;

	input_file_read_dhat(s, &d);
	if (page_dhat_init(&what, &d, false, &err) < 0)
		die("%s: %s", s->name, err.text);
	result = write_html_page(s->name, settings->html, "dhat", &what, page_dhat_fill);
	page_dhat_free(&what);
	dhat_free(&d);
	return result;
}

static int write_data_page(const struct input_file *s, const struct settings *settings)
{
	struct dat_record *batch = xmalloc(BATCH * sizeof(*batch));
	struct page_dat *what = xmalloc(sizeof(*what));
	struct data_input in;
	size_t count;
	int result;

	data_input_open(&in, s->path);
	in.name = s->name;
	page_dat_init(what, &in.dat.info);
	while ((count = data_input_read(&in, batch, BATCH)) > 0)
		page_dat_add(what, batch, count);
	result = write_html_page(s->name, settings->html, "dat", what, page_dat_fill);
	data_input_close(&in);
	free(what);
	free(batch);
	return result;
}

/* The page of two files. */
static int write_diff_page(const struct settings *settings)
{
	struct diff_page *what = diff_page_open(settings);
	char *files = xasprintf("%s to %s", settings->old_input, settings->input);
	int result = write_html_page(files, settings->html, "diff", what, diff_page_fill);

	if (diff_page_is_cut(what))
		result = -1;
	diff_page_free(what);
	free(files);
	return result;
}

int html_run(const struct settings *settings)
{
	struct input_file s;
	int result;

	check_page_is_built();
	if (settings->diff)
		return write_diff_page(settings);
	input_file_open(&s, settings->input);
	input_file_check_output(s.fd, settings->html, "page");
	if (settings->merged)
		s.name = settings->merged->name;
	switch (input_file_kind(&s)) {
	case INPUT_RECORDING:
		result = write_recording_page(&s, settings);
		break;
	case INPUT_MASSIF:
		result = write_massif_page(&s, settings);
		break;
	case INPUT_DHAT:
		result = write_dhat_page(&s, settings);
		break;
	default:	/* data_input_open() refuses other kinds, with the reason */
		result = write_data_page(&s, settings);
	}
	input_file_close(&s);
	return s.is_cut ? -1 : result;
}
