/* library.c -- Find the recorder, which is installed next to this program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/library.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/sibling.h"
#include "cli/xmalloc.h"
#include "memusage/common/private_dir.h"

static void make_recorder_link(struct library *library, const char *target, const char *name)
{
	if (!private_dir_new(library->dir, sizeof(library->dir)))
		die("cannot create a directory for a link to %s: %m; set TMPDIR to a writable "
		    "directory",
		    target);
	snprintf(library->path, sizeof(library->path), "%s/%s", library->dir, name);
	if (symlink(target, library->path) < 0)
		die("cannot create the symbolic link %s: %m", library->path);
}

char *library_directory(void)
{
	char dir[PATH_MAX], *slash;

	if (!sibling_own_file(dir))
		die("cannot find where memusage is installed: /proc/self/exe: %m; is /proc "
		    "mounted?");
	/* Replaces bin by its parent, so that the path has no ".." when other processes resolve
	 * it. */
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	return xasprintf("%s/lib/memusage", dir);
}

void library_find(struct library *library, const char *name)
{
	char *dir = library_directory();
	int length;

	library->dir[0] = '\0';
	length = snprintf(library->path, sizeof(library->path), "%s/%s", dir, name);
	if ((size_t)length >= sizeof(library->path))
		die("memusage is installed under a path that is too long: %s", dir);
	if (access(library->path, R_OK) < 0)
		die("the recorder is missing: %s: %m; reinstall memusage", library->path);
	if (strpbrk(library->path, " \t\n:"))
		make_recorder_link(library, xstrdup(library->path), name);
	free(dir);
}

void library_remove(const struct library *library)
{
	if (library->dir[0] == '\0')
		return;
	unlink(library->path);
	rmdir(library->dir);
}
