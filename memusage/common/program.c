/* program.c -- Find the program to run, or tell why it cannot be run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/xmalloc.h"

/* Returns 0 or an errno. execve refuses devices and pipes just as directories. */
static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 ? errno : 0;
}

static int exit_status_of(int error)
{
	errno = error;
	return error == ENOENT || error == ENOTDIR ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

static int search_path(const char *name, char **path)
{
	const char *at = getenv("PATH");
	int refused = 0;

	if (!at)
		at = _PATH_DEFPATH;
	for (;;) {
		size_t length = strcspn(at, ":");
		char *candidate = length == 0 ? xstrdup(name) :
				  xasprintf("%.*s/%s", (int)length, at, name);
		int error = check_executable(candidate);
		struct stat st;

		if (error == 0) {
			*path = candidate;
			return 0;
		}
		/* As in shells, a directory of that name does not count, nor does a directory of
		 * PATH that may not be searched. */
		if (error == EACCES && stat(candidate, &st) == 0)
			refused = error;
		free(candidate);
		if (at[length] == '\0')
			break;
		at += length + 1;
	}
	return exit_status_of(refused ? refused : ENOENT);
}

int program_find(const char *name, char **path)
{
	int error;

	*path = NULL;
	if (*name == '\0')
		return exit_status_of(ENOENT);
	if (!strchr(name, '/'))
		return search_path(name, path);
	error = check_executable(name);
	if (error)
		return exit_status_of(error);
	*path = xstrdup(name);
	return 0;
}

int program_names(const char *file, const char *name)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), found = -1;
	char *bytes = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > SELFMAG)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return -1;
	if (memcmp(bytes, ELFMAG, SELFMAG) == 0)
		found = memmem(bytes, (size_t)st.st_size, name, strlen(name) + 1) != NULL;
	munmap(bytes, (size_t)st.st_size);
	return found;
}
