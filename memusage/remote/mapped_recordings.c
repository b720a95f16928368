/* mapped_recordings.c -- The recordings that a process has mapped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/mapped_recordings.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/process.h"
#include "memusage/record/live.h"

/* 7f00..-7f01.. rw-s 00002000 00:2e 77      /run/user/1000/memusage-4711-0.mur */
static void parse_maps_line(struct mapped_recordings *m, const char *line)
{
	const char *path = strchr(line, '/'), *name = path ? strrchr(path, '/') : NULL;
	size_t length = path ? strcspn(path, "\n") : 0;

	if (!name || !strstr(line, " rw-s "))
		return;
	if (strncmp(path, "/memfd:memusage ", 16) == 0 && m->arenas < CONTACT_ORPHANS)
		snprintf(m->arena[m->arenas++], sizeof(m->arena[0]), "%.*s",
			 (int)strcspn(line, " "), line);
	else if (strncmp(name, "/memusage-", 10) == 0 && length > 4 &&
		 strncmp(path + length - 4, ".mur", 4) == 0 && !m->file)
		m->file = xstrndup(path, length);
}

void mapped_recordings_read(struct mapped_recordings *m, pid_t pid)
{
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *maps;

	*m = (struct mapped_recordings){ .file = NULL };
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process_view(pid));
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (getline(&line, &size, maps) > 0) {
		m->is_readable = true;
		parse_maps_line(m, line);
	}
	free(line);
	fclose(maps);
}

int mapped_recordings_open(pid_t pid, const char *addresses)
{
	char path[96];
	struct stat st;
	int place, fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%s", (int)process_view(pid), addresses);
	place = open(path, O_PATH | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	if (place >= 0 && fstat(place, &st) == 0 && S_ISREG(st.st_mode))
		fd = open(path, O_RDWR | O_CLOEXEC);
	if (place >= 0)
		close(place);
	if (fd >= 0 && !live_is_sealed(fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}
