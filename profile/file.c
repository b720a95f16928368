/* file.c -- open a file as a profiled process saw it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

static int open_in(const char *root, const char *path)
{
	struct open_how how = { .flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT };
	int dir, fd;

	if (!root || !*root)
		return open(path, OPEN_FLAGS);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = (int)syscall(__NR_openat2, dir, path, &how, sizeof(how));
	/* Before Linux 5.6, or where a filter forbids what it does not know. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(dir, path + strspn(path, "/"), OPEN_FLAGS);
	close(dir);
	return fd;
}

int file_open_below(const char *root, const char *path)
{
	int fd = open_in(root, path);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		fd = -1;
	}
	return fd;
}

static uint64_t nanoseconds(struct timespec t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool file_is_younger(int fd, uint64_t than_ns)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       (nanoseconds(st.st_mtim) > than_ns || nanoseconds(st.st_ctim) > than_ns);
}
