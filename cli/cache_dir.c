/* cache_dir.c -- The directory of the user in which the programs keep what they can make again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/cache_dir.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/user.h"

static bool is_own_directory(int fd, mode_t forbidden)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && user_is_self(st.st_uid) &&
	       (st.st_mode & forbidden) == 0;
}

/* Opens a directory if it is ours, else closes it. Links are followed unless FLAGS forbid it. */
static int open_own_directory(int at, const char *name, int flags, mode_t forbidden)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);

	if (fd >= 0 && !is_own_directory(fd, forbidden)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A home is created with its user; .cache in it by the first program that needs it. */
static int open_cache_base(void)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int top, fd;

	if (base && base[0] == '/') {
		mkdir(base, 0700);
		return open_own_directory(AT_FDCWD, base, 0, 0);
	}
	top = home && home[0] == '/' ? open_own_directory(AT_FDCWD, home, 0, 0) : -1;
	if (top < 0)
		return -1;
	mkdirat(top, ".cache", 0700);
	fd = open_own_directory(top, ".cache", 0, 0);
	close(top);
	return fd;
}

int cache_dir_open(void)
{
	int base = open_cache_base(), fd;

	if (base < 0)
		return -1;
	mkdirat(base, "memusage", 0700);
	fd = open_own_directory(base, "memusage", O_NOFOLLOW, 077);
	close(base);
	return fd;
}
