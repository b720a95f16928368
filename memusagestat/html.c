/* html.c -- the report as one HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/html.h"

#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/version.h"
#include "formats/page_image.h"
#include "memusagestat/recorded.h"

void html_check(void)
{
	if (!page_is_built())
		die("this memusagestat was built without the HTML page: node and npm were "
		    "missing, or the npm registry could not be reached (make HTML=yes says "
		    "which)");
}

/* Commands and paths of the program may be private, so nobody else is to read it. */
static int write_page(const struct settings *s, const struct page *page)
{
	struct output out;
	struct mu_error err;

	if (strcmp(s->html, "-") == 0 && isatty(STDOUT_FILENO))
		die("the page would go to the terminal: give a name for it");
	if (output_open(&out, s->html, OUTPUT_PRIVATE) < 0)
		return -1;
	if (page_write(out.stream, page, &err) < 0)
		die("%s: %s", s->html, err.text);
	return output_close(&out);
}

static int of_recording(const struct settings *s)
{
	struct recorded r;
	struct mu_error err;
	struct page_image what;
	const struct page page = {
		.fill = page_image_fill, .data = &what, .kind = "recording",
		.version = MEMUSAGE_VERSION, .file = s->input,
	};
	int result;

	recorded_open(&r, s->input, (pid_t)s->pid);
	what = (struct page_image){
		.export = &r.export, .segment = &r.segment.head, .result = &r.result,
		.images = r.images,
	};
	if (page_image_init(&what, &err) < 0)
		die("%s: %s", s->input, err.text);
	result = write_page(s, &page);
	page_image_free(&what);
	recorded_close(&r);
	return result;
}

int html_run(const struct settings *s)
{
	html_check();
	return of_recording(s);
}
