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

static ssize_t read_root(pid_t pid, char path[PATH_MAX])
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/%d/root", (int)pid);
	return readlink(link, path, PATH_MAX);
}

void chroots_add(struct chroots *r, pid_t pid)
{
	char path[PATH_MAX];
	ssize_t length = read_root(pid, path);

	/* The first thread may have ended. That is asked last: each sample comes here. */
	if (length < 0)
		length = read_root(process_view(pid), path);
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
