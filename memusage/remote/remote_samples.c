/* remote_samples.c -- The timeline of a running process, as its collector keeps it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_samples.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/control_wire.h"

/* Positions of the header HEAD of the image in the file. Returns -1 without one. */
static off_t find_header(struct control_samples *head, int fd, const struct live *l)
{
	off_t at = 0;

	while (pread(fd, head, sizeof(*head), at) == sizeof(*head) && head->count <= SAMPLES_MAX) {
		if (head->slot == l->slot && head->generation == l->generation)
			return at;
		at += (off_t)(sizeof(*head) + head->count * sizeof(struct mu_sample));
	}
	return -1;
}

const struct samples *remote_samples_read(struct samples *samples, int fd, const struct live *l)
{
	struct control_samples head;
	struct stat st;
	off_t at;
	size_t size;

	*samples = (struct samples){ .item = NULL };
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	at = find_header(&head, fd, l);
	if (at < 0)
		return NULL;
	size = head.count * sizeof(*samples->item);
	samples->item = xcalloc(head.count + 1, sizeof(*samples->item));
	if (pread(fd, samples->item, size, at + (off_t)sizeof(head)) == (ssize_t)size) {
		samples->count = head.count;
		samples->rss_peak = head.rss_peak;
	}
	return samples;
}
