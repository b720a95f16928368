/* files.c -- Open the files that memusage writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/user.h"

enum { LOCK_TRIES = 20, LOCK_PAUSE_NS = 50000000 };

int files_open_empty(const char *name)
{
	int fd = output_open_file(name, OUTPUT_PUBLIC, NULL);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

void files_lock(int fd, const char *name)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			return;
		nanosleep(&pause, NULL);
	}
	die("another memusage is writing %s: wait for its end or give another name; %%p in a name "
	    "is the process ID", name);
}

void files_unlock(int fd)
{
	flock(fd, LOCK_UN);
}

bool files_has_specifier(const char *pattern, const char *letters)
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
	return files_has_specifier(pattern, "p");
}

char *files_expand(const char *pattern, pid_t pid)
{
	char why[128];
	char *name = output_expand(pattern, pid, getenv, why);

	if (!name)
		die("%s: %s", pattern, why);
	return name;
}

/* The file names are not known yet, but their directory is. */
static void check_directory(char *name)
{
	char *slash = strrchr(name, '/');
	const char *dir = slash ? name : ".";

	if (slash)
		slash[slash == name] = '\0';
	if (access(dir, W_OK | X_OK) < 0)
		die("cannot write files in %s: %m", dir);
}

/* output_open_file() refuses it, without waiting for a reader. */
static bool is_pipe_of_another(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0 && S_ISFIFO(st.st_mode) && !user_is_self(st.st_uid);
}

void files_check_name(const char *name, unsigned flags)
{
	bool is_fresh = false;
	struct stat st;
	int fd;

	if (!is_pipe_of_another(name) && stat(name, &st) == 0 && !S_ISREG(st.st_mode) &&
	    !S_ISDIR(st.st_mode)) {
		if (access(name, W_OK) < 0)
			die("cannot write %s: %m", name);
		return;
	}
	fd = output_open_file(name, flags | OUTPUT_CHECK, &is_fresh);
	if (fd < 0)
		die("cannot write %s: %s", name, output_refusal(name));
	close(fd);
	if (is_fresh)
		unlink(name);
}

void files_check(const char *pattern, unsigned flags)
{
	char *name = files_expand(pattern, getpid());

	if (files_has_specifier(pattern, "pn"))
		check_directory(name);
	else
		files_check_name(name, flags);
	free(name);
}
