/* asked_checks.c -- The last leak checks that clients have asked for, of one process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/asked_checks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/file.h"

#define BYTES_MAX (UINT64_C(1) << 30)

/* The beginning of the file; the last check follows, the one before, and what is watched. */
struct file_head {
	struct asked_image image;
	uint64_t last_bytes, before_bytes, watch_bytes; /* 0: none */
};

uint64_t asked_checks_bytes(const struct mu_leak_check *c)
{
	uint64_t bytes = sizeof(*c) + c->count * sizeof(*c->loss);
	const struct mu_leak_check *behind = (const void *)((const char *)c + bytes);
	const struct mu_leak_list *list = (const void *)behind;

	if (c->flags & MU_LEAK_CHECK_LIST)
		return bytes + list->bytes;
	if (c->flags & MU_LEAK_CHECK_WATCH)
		return bytes + ((const struct lost_watch *)(const void *)behind)->bytes;
	if (c->flags & MU_LEAK_CHECK_PAIR)
		bytes += sizeof(*behind) + behind->count * sizeof(*behind->loss);
	return bytes;
}

/* Returns NULL if the check is not there as a whole. */
static struct mu_leak_check *read_check(int fd, uint64_t at, uint64_t bytes)
{
	const uint32_t more = MU_LEAK_CHECK_PAIR | MU_LEAK_CHECK_LIST | MU_LEAK_CHECK_WATCH;
	struct mu_leak_check *c;

	if (bytes < sizeof(*c) || bytes > BYTES_MAX)
		return NULL;
	c = xmalloc(bytes);
	if (pread(fd, c, bytes, (off_t)at) == (ssize_t)bytes &&
	    c->count <= BYTES_MAX / sizeof(*c->loss) && !(c->flags & more) &&
	    asked_checks_bytes(c) == bytes)
		return c;
	free(c);
	return NULL;
}

static struct lost_watch *read_watch(int fd, uint64_t at, uint64_t bytes)
{
	struct lost_watch *w;

	if (bytes < sizeof(*w))
		return NULL;
	w = xmalloc(bytes);
	if (pread(fd, w, bytes, (off_t)at) == (ssize_t)bytes && lost_watch_is_valid(w, bytes))
		return w;
	free(w);
	return NULL;
}

void asked_checks_read(struct asked_checks *c, int fd, struct asked_image image)
{
	struct file_head head;
	struct stat st;

	*c = (struct asked_checks){ .last = NULL };
	if (fd < 0 || pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    head.image.slot != image.slot || head.image.generation != image.generation ||
	    head.last_bytes > BYTES_MAX || head.before_bytes > BYTES_MAX ||
	    head.watch_bytes > BYTES_MAX || fstat(fd, &st) < 0 ||
	    (uint64_t)st.st_size !=
		    sizeof(head) + head.last_bytes + head.before_bytes + head.watch_bytes)
		return;
	c->last = read_check(fd, sizeof(head), head.last_bytes);
	c->before = read_check(fd, sizeof(head) + head.last_bytes, head.before_bytes);
	c->watch = read_watch(fd, sizeof(head) + head.last_bytes + head.before_bytes,
			      head.watch_bytes);
}

/* The length tells a reader whether all of it was written. */
bool asked_checks_write(const struct asked_checks *c, int fd, struct asked_image image)
{
	const struct file_head head = {
		.image = image,
		.last_bytes = c->last ? asked_checks_bytes(c->last) : 0,
		.before_bytes = c->before ? asked_checks_bytes(c->before) : 0,
		.watch_bytes = c->watch ? c->watch->bytes : 0,
	};
	const uint64_t before_at = sizeof(head) + head.last_bytes;

	return ftruncate(fd, 0) == 0 && file_write_at(fd, &head, sizeof(head), 0) &&
	       file_write_at(fd, c->last, head.last_bytes, sizeof(head)) &&
	       file_write_at(fd, c->before, head.before_bytes, before_at) &&
	       file_write_at(fd, c->watch, head.watch_bytes, before_at + head.before_bytes);
}

struct lost_watch *asked_checks_take_watch(struct mu_leak_check *result)
{
	const struct lost_watch *behind = (const void *)&result->loss[result->count];
	struct lost_watch *w;

	if (!(result->flags & MU_LEAK_CHECK_WATCH))
		return NULL;
	result->flags &= ~(uint32_t)MU_LEAK_CHECK_WATCH;
	w = xmalloc(behind->bytes);
	memcpy(w, behind, behind->bytes);
	return w;
}

struct mu_leak_check *asked_checks_join(struct mu_leak_check *result,
					const struct mu_leak_check *last)
{
	const uint64_t first = asked_checks_bytes(result), second = asked_checks_bytes(last);
	struct mu_leak_check *both = xreallocarray(result, 1, first + second);

	memcpy((char *)both + first, last, second);
	both->flags |= MU_LEAK_CHECK_PAIR;
	return both;
}

void asked_checks_free(struct asked_checks *c)
{
	free(c->last);
	free(c->before);
	free(c->watch);
	*c = (struct asked_checks){ .last = NULL };
}
