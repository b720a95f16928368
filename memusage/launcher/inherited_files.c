/* inherited_files.c -- The files that memusage was started with: they are the program's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/inherited_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/xmalloc.h"

static struct {
	int *fd;
	size_t count;
} noted;

void inherited_files_note(void)
{
	DIR *all = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (all && (entry = readdir(all))) {
		int fd = atoi(entry->d_name);

		if (fd <= STDERR_FILENO || fd == dirfd(all))
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
