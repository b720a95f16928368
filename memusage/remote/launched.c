/* launched.c -- The processes that a memusage has launched.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/launched.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/common/process.h"

static size_t read_children(pid_t launcher, pid_t **all)
{
	size_t count = 0;
	char path[64];
	FILE *children;
	int pid;

	*all = NULL;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)launcher, (int)launcher);
	children = fopen(path, "re");
	while (children && fscanf(children, "%d", &pid) == 1) {
		*all = xreallocarray(*all, count + 1, sizeof(**all));
		(*all)[count++] = (pid_t)pid;
	}
	if (children)
		fclose(children);
	return count;
}

/* By their names: that of another program which begins so only comes later in the list. */
static bool is_of_suite(const char *name)
{
	return strncmp(name, "memusage", 8) == 0;
}

static bool is_collector(const char *name)
{
	return strcmp(name, "memusage-collec") == 0;
}

size_t launched_list(pid_t launcher, pid_t **all)
{
	pid_t *child, *list;
	const size_t children = read_children(launcher, &child);
	size_t first = 0, last = children;
	char name[17];

	list = xcalloc(children + 1, sizeof(*list));
	for (size_t i = 0; i < children; i++) {
		process_name(child[i], name);
		if (!is_of_suite(name))
			list[first++] = child[i];
		else if (!is_collector(name))
			list[--last] = child[i];
	}
	for (; last < children; last++)
		list[first++] = list[last];
	free(child);
	*all = list;
	return first;
}
