/* private_dir.c -- Directories for sockets and links that other users cannot change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/private_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* After `su` the variable is another user's, who can put what he likes in the place of a directory
 * there, as soon as we have looked at it. */
static bool is_own(const char *base)
{
	struct stat st;

	return stat(base, &st) == 0 && st.st_uid == geteuid();
}

bool private_dir_shared(char *dir, size_t size)
{
	const char *base = getenv("XDG_RUNTIME_DIR");
	struct stat st;

	if (!base || base[0] != '/' || !is_own(base) ||
	    (size_t)snprintf(dir, size, "%s/memusage", base) >= size)
		return false;
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return false;
	return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 077) == 0;
}

/* ld.so splits LD_PRELOAD at blanks and colons. */
static bool is_preload_safe(const char *path)
{
	return path[0] == '/' && strpbrk(path, " \t\n:") == NULL;
}

/* After `su` it is another user's as well, who could rename what we make there. */
static bool is_protected(const char *base)
{
	struct stat st;

	if (stat(base, &st) < 0)
		return false;
	return st.st_uid == geteuid() ||
	       (st.st_uid == 0 && (st.st_mode & S_ISVTX || !(st.st_mode & 022)));
}

const char *private_dir_base(void)
{
	const char *base = getenv("TMPDIR");

	return base && base[0] == '/' && is_protected(base) ? base : "/tmp";
}

bool private_dir_new(char *dir, size_t size)
{
	const char *base = private_dir_base();

	if (!is_preload_safe(base) || strlen(base) > 60)
		base = "/tmp";
	if ((size_t)snprintf(dir, size, "%s/memusage-XXXXXX", base) >= size)
		return false;
	return mkdtemp(dir) != NULL;
}
