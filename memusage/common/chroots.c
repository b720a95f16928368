/* chroots.c -- The root directories of the processes of a tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/chroots.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memusage/common/process.h"

void chroots_add(struct chroots *r, pid_t pid)
{
	char link[32], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/root", (int)process_view(pid));
	length = readlink(link, path, sizeof(path));
	if (length <= 1 || length == (ssize_t)sizeof(path) || path[0] != '/' ||
	    r->count == CHROOTS_MAX)
		return;
	path[length] = '\0';
	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->path[i], path) == 0)
			return;
	r->path[r->count] = strdup(path);
	r->count += r->path[r->count] != NULL;
}
