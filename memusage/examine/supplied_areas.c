/* supplied_areas.c -- Mappings whose missing pages a process supplies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/supplied_areas.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool supplied_areas_may_be(pid_t pid)
{
	const struct dirent *entry;
	bool found = false;
	char path[64];
	DIR *all;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	all = opendir(path);
	while (all && !found && (entry = readdir(all)) != NULL) {
		char what[32] = "";

		found = readlinkat(dirfd(all), entry->d_name, what, sizeof(what) - 1) > 0 &&
			strcmp(what, "anon_inode:[userfaultfd]") == 0;
	}
	if (all)
		closedir(all);
	return found;
}

/* um: missing pages, uw: writes, ui: pages that are not mapped yet.
 * Source  Documentation/filesystems/proc.rst of Linux. */
static bool has_flag_of_supplied(const char *flags)
{
	return strstr(flags, " um") || strstr(flags, " uw") || strstr(flags, " ui");
}

void supplied_areas_find(pid_t pid, void (*visit)(uint64_t start, void *data), void *data)
{
	char path[64], *line = NULL;
	uint64_t start = 0;
	size_t size = 0;
	FILE *file;

	if (!supplied_areas_may_be(pid))
		return;
	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0) {
		uint64_t from, to;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2)
			start = from;
		else if (strncmp(line, "VmFlags:", 8) == 0 && has_flag_of_supplied(line))
			visit(start, data);
	}
	free(line);
	if (file)
		fclose(file);
}

/* The fields of a line: two numbers, the device, paths and options, a hyphen, the type. */
bool supplied_areas_served(const char *mounts, unsigned int major, unsigned int minor)
{
	const char *end;

	for (const char *line = mounts; *line; line = *end ? end + 1 : end) {
		const char *type = strstr(line, " - ");
		unsigned int mount[2];

		end = line + strcspn(line, "\n");
		if (type && type < end && strncmp(type + 3, "fuse", 4) == 0 &&
		    sscanf(line, "%*d %*d %u:%u", &mount[0], &mount[1]) == 2 &&
		    mount[0] == major && mount[1] == minor)
			return true;
	}
	return false;
}
