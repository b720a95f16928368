/* sibling.c -- Find the programs that are installed next to this one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/sibling.h"

#include <string.h>
#include <unistd.h>

#include "cli/xmalloc.h"

const char *sibling_own_file(char dir[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", dir, PATH_MAX - 1);
	char *slash;

	if (length <= 0)
		return NULL;
	dir[length] = '\0';
	slash = strrchr(dir, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	return slash + 1;
}

char *sibling_path(const char *own, const char *name)
{
	char dir[PATH_MAX];
	const char *file = sibling_own_file(dir);
	const size_t length = strlen(own);

	if (!file)
		return NULL;
	file = strncmp(file, own, length) == 0 ? file + length : "";
	return xasprintf("%s/%s%s", dir, name, file);
}
