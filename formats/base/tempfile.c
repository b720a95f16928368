/* tempfile.c -- Temporary file for data that must be read twice or written out of order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/file.h"

enum { CHUNK = 1 << 16 };

int tempfile_open(struct mu_error *err)
{
	const char *directory = secure_getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!directory || !*directory)
		directory = "/tmp";
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* Not every file system has O_TMPFILE (NFS, FUSE). */
	if ((size_t)snprintf(name, sizeof(name), "%s/memusage-XXXXXX", directory) >= sizeof(name))
		errno = ENAMETOOLONG;
	else
		fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0,
				    "cannot create a temporary file in %.100s: %m", directory);
	unlink(name);
	return fd;
}

int tempfile_write(int fd, const void *data, size_t size, struct mu_error *err)
{
	return file_write(fd, data, size) ?
		       0 : mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot write: %m");
}

int tempfile_copy(int from, int to, uint64_t limit, struct mu_error *err)
{
	char *chunk = xmalloc(CHUNK);
	uint64_t copied = 0;
	int result = -1;
	ssize_t n;

	for (;;) {
		n = read(from, chunk, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		copied += (uint64_t)n;
		if (copied > limit) {
			mu_error_set(err, MU_ERROR_SYSTEM, limit, "more than %llu bytes of input",
				     (unsigned long long)limit);
			goto out;
		}
		if (tempfile_write(to, chunk, (size_t)n, err) < 0)
			goto out;
	}
	if (n < 0)
		mu_error_set(err, MU_ERROR_SYSTEM, copied, "cannot read: %m");
	result = n < 0 ? -1 : 0;
out:
	free(chunk);
	return result;
}
