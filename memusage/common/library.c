/* library.c -- Find the recorder, which is installed next to this program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/library.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/sibling.h"
#include "cli/xmalloc.h"
#include "memusage/common/private_dir.h"

#define LINK_NAME "recorder"

/* Returns the name of the link, to be freed. */
static char *link_path(const struct library *library)
{
	return xasprintf("%s/" LINK_NAME, library->dir);
}

/* Returns the name of a link to directory TARGET, to be freed. */
static char *make_link(struct library *library, const char *target)
{
	char *name;

	if (!private_dir_new(library->dir, sizeof(library->dir)))
		die("cannot create a directory for a link to %s: %m; set TMPDIR to a writable "
		    "directory",
		    target);
	name = link_path(library);
	if (symlink(target, name) < 0)
		die("cannot create the symbolic link %s: %m", name);
	return name;
}

/* In the recorder's directory there is one for each platform, which leads back to it; that of
 * 32-bit programs has an empty library of this name. glibc's loader puts the platform of a program
 * in the place of $PLATFORM. Those of other C libraries look for a directory of this name in vain,
 * and go on; with our recorder they would not run the program. */
static void choose_preload(struct library *library, const char *dir, const char *name)
{
	const char *platform = (const char *)getauxval(AT_PLATFORM);
	char *file = xasprintf("%s/%s/%s", dir, platform ? platform : "", name);

	library->is_for_all = platform && *platform && access(file, R_OK) == 0;
	snprintf(library->preload, sizeof(library->preload), "%s%s/%s", dir,
		 library->is_for_all ? "/$PLATFORM" : "", name);
	free(file);
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

	library->dir[0] = '\0';
	if (strlen(dir) + strlen("/$PLATFORM/") + strlen(name) >= sizeof(library->path))
		die("memusage is installed under a path that is too long: %s", dir);
	snprintf(library->path, sizeof(library->path), "%s/%s", dir, name);
	if (access(library->path, R_OK) < 0)
		die("the recorder is missing: %s: %m; reinstall memusage", library->path);
	if (strpbrk(dir, " \t\n:$")) {
		char *link = make_link(library, dir);

		snprintf(library->path, sizeof(library->path), "%s/%s", link, name);
		free(dir);
		dir = link;
	}
	choose_preload(library, dir, name);
	free(dir);
}

void library_remove(const struct library *library)
{
	char *link;

	if (library->dir[0] == '\0')
		return;
	link = link_path(library);
	unlink(link);
	rmdir(library->dir);
	free(link);
}
