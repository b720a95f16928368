/* file.c -- Opens a file as a profiled process saw it; writes all that there is to write.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profile/base/number.h"

enum {
	FIND_FLAGS = O_PATH | O_CLOEXEC,
	OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
};

/* Gets a handle (O_PATH) without opening the file. */
static int find_below_root(const char *root, const char *path)
{
	struct open_how how = { .flags = FIND_FLAGS, .resolve = RESOLVE_IN_ROOT };
	int dir, fd;

	if (!root || !*root)
		return open(path, FIND_FLAGS);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = (int)syscall(__NR_openat2, dir, path, &how, sizeof(how));
	/* Before Linux 5.6, or where a filter forbids what it does not know. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(dir, path + strspn(path, "/"), FIND_FLAGS);
	close(dir);
	return fd;
}

/* Opens by the descriptor's link, so that the file is the one that was checked. Without /proc it
 * opens by name, and the caller checks again. */
static int open_found_file(int found, const char *root, const char *path)
{
	char link[32];
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", found);
	fd = open(link, OPEN_FLAGS);
	if (fd < 0 && errno == ENOENT && (!root || !*root))
		fd = open(path, OPEN_FLAGS);
	return fd;
}

static bool is_regular_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* Opening a device may rewind a tape, ring a bell or start a watchdog. */
int file_open_below(const char *root, const char *path)
{
	int found = find_below_root(root, path), fd = -1;

	if (found < 0)
		return -1;
	errno = EINVAL;
	if (is_regular_file(found))
		fd = open_found_file(found, root, path);
	if (fd >= 0 && !is_regular_file(fd)) {
		close(fd);
		errno = EINVAL;
		fd = -1;
	}
	int saved = errno;
	close(found);
	errno = saved;
	return fd;
}

size_t file_read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, text, size - 1) : 0;

	if (fd >= 0)
		close(fd);
	length = length > 0 ? length : 0;
	text[length] = '\0';
	return (size_t)length;
}

/* OFFSET is NULL for the position of the file. */
static bool write_whole(int fd, const char *data, size_t size, const uint64_t *offset)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = offset ? pwrite(fd, data + done, size - done, (off_t)(*offset + done)) :
				     write(fd, data + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = ENOSPC;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

bool file_write(int fd, const void *data, size_t size)
{
	return write_whole(fd, data, size, NULL);
}

bool file_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
	return write_whole(fd, data, size, &offset);
}

bool file_copy(int to, int from)
{
	char data[16 << 10];
	uint64_t at = 0;
	ssize_t got;

	while ((got = pread(from, data, sizeof(data), (off_t)at)) > 0) {
		if (!file_write_at(to, data, (size_t)got, at))
			return false;
		at += (uint64_t)got;
	}
	return got == 0;
}

bool file_is_younger(int fd, uint64_t than_ns)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       (timespec_to_ns(st.st_mtim) > than_ns || timespec_to_ns(st.st_ctim) > than_ns);
}
