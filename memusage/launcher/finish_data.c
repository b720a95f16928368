/* finish_data.c -- Complete the data file of a run that was killed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/finish_data.h"

#include <fcntl.h>
#include <unistd.h>

#include "cli/message.h"
#include "formats/dat.h"
#include "memusage/record/session.h"
#include "memusage/report/pictures.h"
#include "profile/base/file.h"

enum { BATCH = 4096 };

/* Reads all events: then the reader knows the totals. */
static int read_to_end(struct dat_reader *r, struct mu_error *err)
{
	static struct dat_record batch[BATCH];
	ssize_t n;

	do
		n = dat_read(r, batch, BATCH, err);
	while (n > 0);
	return (int)n;
}

static int complete_file(int fd, struct mu_error *err)
{
	struct dat_record head[DAT_HEADERS];
	struct dat_reader r;
	const struct dat_info *info = &r.info;

	if (dat_open(&r, fd, err) < 0 || read_to_end(&r, err) < 0)
		return -1;
	if (info->is_swapped || !info->is_ns || !(info->repairs & DAT_UNFINISHED))
		return 0;
	head[0] = dat_make(DAT_TAG_NS, info->total_peak, info->start);
	head[1] = dat_make(info->heap_peak, info->stack_peak, info->end);
	if (!file_write_at(fd, head, sizeof(head), 0) ||
	    ftruncate(fd, (off_t)(DAT_HEADER_BYTES + info->records * DAT_RECORD_BYTES)) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	return 0;
}

int finish_data(const struct settings *settings)
{
	struct mu_error err = { .code = MU_ERROR_NONE };
	int fd, result;

	if (!settings->data && settings->png) {
		warn("--png=%s needs --data=FILE, the data file of the run", settings->png);
		return -1;
	}
	if (!settings->data)
		return 0;
	fd = open(settings->data, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	result = fd < 0 ? mu_error_set(&err, MU_ERROR_SYSTEM, 0, "%m") : complete_file(fd, &err);
	if (fd >= 0)
		close(fd);
	if (result < 0)
		warn("%s: %s", settings->data, err.text);
	else if (settings->png)
		pictures_draw(settings, settings->data, -1);
	return result;
}
