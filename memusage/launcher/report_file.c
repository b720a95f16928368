/* report_file.c -- Open the destination of the report.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/color.h"
#include "cli/message.h"
#include "cli/output.h"
#include "memusage/common/files.h"

/* Truncates the file: otherwise the end of a longer, older report would remain. A pipe cannot be
 * truncated. */
static int open_report_file(const char *name)
{
	int fd = output_open_file(name, OUTPUT_PUBLIC, NULL);

	if (fd >= 0)
		files_lock(fd, name);
	if (fd < 0 || (ftruncate(fd, 0) < 0 && errno != EINVAL))
		die("cannot write %s: %s", name, output_refusal(name));
	return fd;
}

/* The collector has its own copy of standard error, which stays when the program closes its own.
 * With --quiet it still reports failures of other files. */
void report_file_open(struct session *s)
{
	const struct settings *settings = s->settings;
	bool has_text = settings_has_text(settings) || massif_talks(&settings->massif) ||
			(settings->dhat.is_wanted && !settings->quiet);
	int fd = settings->output && (has_text || !settings->quiet) ?
			 open_report_file(settings->output) :
			 fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	s->text = has_text && fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
	if (settings->quiet && settings->output && has_text) {
		close(fd);
		fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	}
	s->report = fd;
	if (fd >= 0)
		s->color = color_wanted((enum color_when)settings->color, fd);
}
