/* files.c -- open the files that memusage writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_trusted_link(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0 && S_ISLNK(st.st_mode) &&
	       (st.st_uid == 0 || st.st_uid == geteuid());
}

int files_open(const char *name, bool *fresh)
{
	const int mode = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
	int fd = open(name, mode | O_EXCL, 0666);

	if (fresh)
		*fresh = fd >= 0;
	if (fd >= 0 || errno != EEXIST)
		return fd;
	fd = open(name, mode | O_NOFOLLOW, 0666);
	if (fd < 0 && errno == ELOOP && is_trusted_link(name))
		fd = open(name, mode, 0666);
	return fd;
}

int files_temporary(void)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!dir || *dir == '\0')
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (fd >= 0)
		return fd;
	snprintf(name, sizeof(name), "%s/memusage-XXXXXX", dir);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}
