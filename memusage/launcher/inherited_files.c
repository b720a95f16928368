/* inherited_files.c -- The files that memusage was started with: they are the program's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/inherited_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/xmalloc.h"

static struct {
	int *fd;
	size_t count;
} noted;

static bool names_descriptor(char *const *argv)
{
	const char *output = getenv("MEMUSAGE_OUTPUT");

	for (; *argv; argv++) {
		if (strstr(*argv, "/fd/"))
			return true;
	}
	return output && strstr(output, "/fd/");
}

void inherited_files_note(char *const *argv)
{
	DIR *all = names_descriptor(argv) ? NULL : opendir("/proc/self/fd");
	const struct dirent *entry;

	while (all && (entry = readdir(all))) {
		int fd = atoi(entry->d_name);

		/* A library has opened those that an exec closes, and may use them. */
		if (fd <= STDERR_FILENO || fd == dirfd(all) || fcntl(fd, F_GETFD) & FD_CLOEXEC)
			continue;
		noted.fd = xreallocarray(noted.fd, noted.count + 1, sizeof(*noted.fd));
		noted.fd[noted.count++] = fd;
	}
	if (all)
		closedir(all);
}

void inherited_files_close(void)
{
	while (noted.count > 0)
		close(noted.fd[--noted.count]);
	free(noted.fd);
	noted.fd = NULL;
}
