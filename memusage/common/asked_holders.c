/* asked_holders.c -- What held the blocks of a process when a client last asked for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/asked_holders.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/file.h"

#define BYTES_MAX (UINT64_C(1) << 28)

/* The beginning of the file; the result follows. */
struct file_head {
	struct asked_image image;
	uint64_t bytes;
};

struct mu_holders *asked_holders_read(int fd, struct asked_image image)
{
	struct file_head head;
	struct mu_holders *h;
	struct stat st;

	if (fd < 0 || pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    head.image.slot != image.slot || head.image.generation != image.generation ||
	    head.bytes < sizeof(*h) || head.bytes > BYTES_MAX || fstat(fd, &st) < 0 ||
	    (uint64_t)st.st_size != sizeof(head) + head.bytes)
		return NULL;
	h = xmalloc(head.bytes);
	if (pread(fd, h, head.bytes, sizeof(head)) == (ssize_t)head.bytes && h->bytes == head.bytes)
		return h;
	free(h);
	return NULL;
}

/* The length tells a reader whether all of it was written. */
bool asked_holders_write(const struct mu_holders *h, int fd, struct asked_image image)
{
	const struct file_head head = { .image = image, .bytes = h->bytes };

	return ftruncate(fd, 0) == 0 && file_write_at(fd, &head, sizeof(head), 0) &&
	       file_write_at(fd, h, head.bytes, sizeof(head));
}
