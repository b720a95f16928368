/* html.c -- the report as one HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/html.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "formats/kind.h"
#include "formats/page_foreign.h"
#include "formats/page_image.h"
#include "formats/spool.h"
#include "memusagestat/input.h"
#include "memusagestat/recorded.h"

/* A pipe is copied to a nameless file, up to this. */
static const uint64_t SPOOL_LIMIT = UINT64_C(1) << 34;

enum { BATCH = 8192 };

/* The input: a regular file, whatever was given. */
struct source {
	const struct settings *settings;
	const char *name;	/* for people */
	char *path;
	int fd;
};

void html_check(void)
{
	if (!page_is_built())
		die("this memusagestat was built without the HTML page: node and npm were "
		    "missing, or the npm registry could not be reached (make HTML=yes says "
		    "which)");
}

/* ---- the input ----------------------------------------------------------------------------- */

static void spool(struct source *s)
{
	struct mu_error err;
	int fd = spool_open(&err);

	if (fd < 0 || spool_copy(s->fd, fd, SPOOL_LIMIT, &err) < 0)
		die("%s: %s", s->name, err.text);
	s->fd = fd;
	lseek(fd, 0, SEEK_SET);
}

static void source_open(struct source *s, const struct settings *settings)
{
	struct stat st;

	*s = (struct source){ .settings = settings, .name = settings->input, .fd = STDIN_FILENO };
	if (strcmp(settings->input, "-") == 0)
		s->name = "standard input";
	else
		s->fd = open(settings->input, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		die("cannot open %s: %m", s->name);
	if (S_ISDIR(st.st_mode))
		die("cannot open %s: %s", s->name, strerror(EISDIR));
	if (!S_ISREG(st.st_mode))
		spool(s);
	s->path = S_ISREG(st.st_mode) && s->fd != STDIN_FILENO ?
			  xstrdup(settings->input) : xasprintf("/proc/self/fd/%d", s->fd);
}

static enum input_kind kind_of_source(const struct source *s)
{
	enum input_kind kind = INPUT_UNKNOWN;
	const char *data;
	struct textfile text;
	struct mu_error err;
	ssize_t size = textfile_open(&text, s->fd, &err);

	if (size == 0)
		size = textfile_peek(&text, &data, &err);
	if (size < 0)
		die("%s: %s", s->name, err.text);
	if (size == 0)
		die("%s: is empty", s->name);
	kind = kind_of(data, (size_t)size);
	textfile_close(&text);
	lseek(s->fd, 0, SEEK_SET);
	return kind;
}

static void check_output(const struct source *s)
{
	const char *name = s->settings->html;
	struct stat in, out;

	if (strcmp(name, "-") == 0 && isatty(STDOUT_FILENO))
		die("the page would go to the terminal: give a name for it");
	if (stat(name, &out) == 0 && fstat(s->fd, &in) == 0 && in.st_dev == out.st_dev &&
	    in.st_ino == out.st_ino)
		die("%s is the input: give another name for the page", name);
}

/* ---- pages --------------------------------------------------------------------------------- */

/* Commands and paths of the program may be private, so nobody else is to read it. */
static int write_page(const struct source *s, const char *kind, const void *data,
		      int (*fill)(struct page_json *, const void *, const struct page_budget *,
				  struct mu_error *))
{
	const struct page page = {
		.fill = fill, .data = data, .kind = kind, .version = MEMUSAGE_VERSION,
		.file = s->name,
	};
	struct output out;
	struct mu_error err;

	if (output_open(&out, s->settings->html, OUTPUT_PRIVATE) < 0)
		return -1;
	if (page_write(out.stream, &page, &err) < 0)
		die("%s: %s", s->settings->html, err.text);
	return output_close(&out);
}

static int of_recording(const struct source *s)
{
	struct recorded r;
	struct mu_error err;
	struct page_image what;
	int result;

	recorded_open(&r, s->path, (pid_t)s->settings->pid);
	what = (struct page_image){
		.export = &r.export, .segment = &r.segment.head, .result = &r.result,
		.images = r.images,
	};
	if (page_image_init(&what, &err) < 0)
		die("%s: %s", s->name, err.text);
	result = write_page(s, "recording", &what, page_image_fill);
	page_image_free(&what);
	recorded_close(&r);
	return result;
}

/* Of a file that ends too early the first part is shown. */
static void judge(const struct source *s, int result, bool has_some, const struct mu_error *err)
{
	if (result < 0 && (err->code != MU_ERROR_TRUNCATED || !has_some))
		die("%s: %s", s->name, err->text);
	if (result < 0)
		warn("%s: %s; what comes before it is shown", s->name, err->text);
}

static int of_massif(const struct source *s)
{
	struct massif_file m;
	struct page_massif what;
	struct textfile text;
	struct mu_error err;
	int result = textfile_open(&text, s->fd, &err);

	if (result < 0)
		die("%s: %s", s->name, err.text);
	result = massif_read(&m, &text, &err);
	judge(s, result, m.count > 0, &err);
	textfile_close(&text);
	if (page_massif_init(&what, &m, &err) < 0)
		die("%s: %s", s->name, err.text);
	result = write_page(s, "massif", &what, page_massif_fill);
	page_massif_free(&what);
	massif_free(&m);
	return result;
}

static int of_dhat(const struct source *s)
{
	struct dhat d;
	struct page_dhat what;
	struct textfile text;
	struct mu_error err;
	int result = textfile_open(&text, s->fd, &err);

	if (result < 0)
		die("%s: %s", s->name, err.text);
	result = dhat_read(&d, &text, &err);
	judge(s, result, false, &err);
	textfile_close(&text);
	if (page_dhat_init(&what, &d, &err) < 0)
		die("%s: %s", s->name, err.text);
	result = write_page(s, "dhat", &what, page_dhat_fill);
	page_dhat_free(&what);
	dhat_free(&d);
	return result;
}

static int of_data(const struct source *s)
{
	struct dat_record *batch = xmalloc(BATCH * sizeof(*batch));
	struct page_dat *what = xmalloc(sizeof(*what));
	struct input in;
	size_t count;
	int result;

	input_open(&in, s->path);
	in.name = s->name;
	page_dat_init(what, &in.dat.info);
	while ((count = input_read(&in, batch, BATCH)) > 0)
		page_dat_add(what, batch, count);
	result = write_page(s, "dat", what, page_dat_fill);
	input_close(&in);
	free(what);
	free(batch);
	return result;
}

int html_run(const struct settings *settings)
{
	struct source s;
	int result;

	html_check();
	source_open(&s, settings);
	check_output(&s);
	switch (kind_of_source(&s)) {
	case INPUT_RECORDING:
		result = of_recording(&s);
		break;
	case INPUT_MASSIF:
		result = of_massif(&s);
		break;
	case INPUT_DHAT:
		result = of_dhat(&s);
		break;
	default:	/* what is no data file is refused there, with the reason */
		result = of_data(&s);
	}
	free(s.path);
	return result;
}
