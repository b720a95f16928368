/* files.c -- open the files that memusage writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"

static bool is_trusted_link(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0 && S_ISLNK(st.st_mode) &&
	       (st.st_uid == 0 || st.st_uid == geteuid());
}

int files_open(const char *name, enum files_mode mode, bool *fresh)
{
	const int how = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
	int fd = open(name, how | O_EXCL, mode);

	if (fresh)
		*fresh = fd >= 0;
	if (fd >= 0 || errno != EEXIST)
		return fd;
	fd = open(name, how | O_NOFOLLOW, mode);
	if (fd < 0 && errno == ELOOP && is_trusted_link(name))
		fd = open(name, how, mode);
	return fd;
}

int files_open_empty(const char *name)
{
	int fd = files_open(name, FILES_PUBLIC, NULL);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0) {
		close(fd);
		return -1;
	}
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

/* %%p is a percent sign and a p. */
static bool has_any(const char *pattern, const char *letters)
{
	for (; *pattern; pattern++) {
		if (*pattern != '%')
			continue;
		if (*++pattern == '\0')
			break;
		if (strchr(letters, *pattern))
			return true;
	}
	return false;
}

bool files_has_pid(const char *pattern)
{
	return has_any(pattern, "p");
}

char *files_expand(const char *pattern, pid_t pid)
{
	char why[128];
	char *name = output_expand(pattern, pid, getenv, why);

	if (!name)
		die("%s: %s", pattern, why);
	return name;
}

/* The names are not known yet, but their directory is. */
static void check_directory(char *name)
{
	char *slash = strrchr(name, '/');
	const char *dir = slash ? name : ".";

	if (slash)
		slash[slash == name] = '\0';
	if (access(dir, W_OK | X_OK) < 0)
		die("cannot write files in %s: %m", dir);
}

void files_check_name(const char *name)
{
	bool is_fresh = false;
	struct stat st;
	int fd;

	if (stat(name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		if (access(name, W_OK) < 0)
			die("cannot write %s: %m", name);
		return;
	}
	fd = files_open(name, FILES_PRIVATE, &is_fresh);
	if (fd < 0)
		die("cannot write %s: %m", name);
	close(fd);
	if (is_fresh)
		unlink(name);
}

void files_check(const char *pattern)
{
	char *name = files_expand(pattern, getpid());

	if (has_any(pattern, "pn"))
		check_directory(name);
	else
		files_check_name(name);
	free(name);
}
